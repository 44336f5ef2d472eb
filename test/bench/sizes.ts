/** The amount of work of each bench. */
export type BenchSizes = {
  /** The number of rounds, without the warm-up, of a bench that takes seconds. */
  readonly rounds: number
  /** The number of rounds, without the warm-up, of a bench that takes half a minute. */
  readonly longRounds: number
  readonly hashedBytes: number
  readonly preparedParts: number
  readonly recordingMib: number
  readonly smallFiles: number
  readonly closedFiles: number
  readonly journalRows: number
  readonly knownFiles: number
  readonly watchedFiles: number
  readonly grownMegabytes: number
  readonly backlogFiles: number
  readonly backlogFileMegabytes: number
  readonly recordedMegabytes: number
  readonly smallSparseBytes: number
  readonly largeSparseBytes: number
  readonly inspectedGigabytes: number
  readonly serverRecordingBytes: number
  readonly completedBytes: number
  readonly idleFiles: number
  readonly idleWindowMs: number
  /** How long the bench waits for the first scans to end. */
  readonly idleCalmMs: number
}

const GB = 1_000_000_000

const fromEnvironment = (name: string): number | undefined => {
  const value = process.env[name]
  return value === undefined ? undefined : Number(value)
}

/** All benches together end within ten minutes on two slow cores. */
const full: BenchSizes = {
  rounds: 4,
  longRounds: 3,
  hashedBytes: 0.8 * GB,
  preparedParts: 6,
  recordingMib: 320,
  smallFiles: 1_200,
  closedFiles: 80,
  journalRows: 1_000_000,
  knownFiles: 100_000,
  watchedFiles: 10_000,
  grownMegabytes: 600,
  backlogFiles: 8,
  backlogFileMegabytes: 1_000,
  recordedMegabytes: 2_000,
  smallSparseBytes: GB,
  largeSparseBytes: 2 * GB,
  inspectedGigabytes: 10,
  serverRecordingBytes: 4 * GB,
  completedBytes: 0.8 * GB,
  idleFiles: 50_000,
  idleWindowMs: 10_000,
  idleCalmMs: 20_000,
}

/** Only shows that each bench runs to its end. The figures mean nothing. */
const quick: BenchSizes = {
  rounds: 1,
  longRounds: 1,
  hashedBytes: 0.2 * GB,
  preparedParts: 4,
  recordingMib: 128,
  smallFiles: 50,
  closedFiles: 10,
  journalRows: 150_000,
  knownFiles: 2_000,
  watchedFiles: 1_000,
  grownMegabytes: 200,
  backlogFiles: 3,
  backlogFileMegabytes: 1_000,
  recordedMegabytes: 200,
  smallSparseBytes: 0.1 * GB,
  largeSparseBytes: 0.5 * GB,
  inspectedGigabytes: 1,
  serverRecordingBytes: 0.3 * GB,
  completedBytes: 0.2 * GB,
  idleFiles: 1_000,
  idleWindowMs: 1_000,
  idleCalmMs: 2_000,
}

/** SLUICE_BENCH_RECORDING_MB, _BACKLOG_FILES, _FILES, _SPARSE_GB, _SERVER_GB and _COMPLETED_GB make benches larger. */
export const benchSizes = (kind: 'full' | 'quick'): BenchSizes => {
  const sizes = kind === 'quick' ? quick : full
  const recordingMb = fromEnvironment('SLUICE_BENCH_RECORDING_MB')
  const sparseGb = fromEnvironment('SLUICE_BENCH_SPARSE_GB')
  const serverGb = fromEnvironment('SLUICE_BENCH_SERVER_GB')
  const completedGb = fromEnvironment('SLUICE_BENCH_COMPLETED_GB')
  return {
    ...sizes,
    serverRecordingBytes: serverGb === undefined ? sizes.serverRecordingBytes : serverGb * GB,
    completedBytes: completedGb === undefined ? sizes.completedBytes : completedGb * GB,
    smallFiles: fromEnvironment('SLUICE_BENCH_FILES') ?? sizes.smallFiles,
    backlogFiles: fromEnvironment('SLUICE_BENCH_BACKLOG_FILES') ?? sizes.backlogFiles,
    grownMegabytes: recordingMb ?? sizes.grownMegabytes,
    recordedMegabytes: recordingMb ?? sizes.recordedMegabytes,
    largeSparseBytes: sparseGb === undefined ? sizes.largeSparseBytes : sparseGb * GB,
  }
}
