import path from 'node:path'
import { sha256OfFile, until } from '../station.ts'
import type { FaultStation } from './fault-station.ts'

type Session = { readonly id: string; readonly status: string; readonly sha256: string }
type Row = {
  readonly path: string
  readonly state: string
  readonly sha256: string
  readonly current: number
}

/** Reached only in a broken run. */
const TIMEOUT_MS = 900_000

/** Waits until nothing is left to do. The fault has ended, and the station must recover without a user. */
const waitUntilDone = async (faultStation: FaultStation, files: readonly string[]): Promise<void> => {
  const readUnfinished = () =>
    faultStation
      .rows<{ path: string; state: string; code: string | null }>(
        "SELECT path, state, problem_code AS code FROM recordings WHERE state NOT IN ('processed', 'gone')",
      )
      .filter((row) => !faultStation.allowed.deletedFiles.includes(row.path))
  let unfinished = ''
  const isDone = async () => {
    const unfinishedRows = readUnfinished()
    const safePaths = new Set(
      faultStation
        .rows<Row>("SELECT path FROM recordings WHERE state = 'processed' AND current = 1")
        .map((row) => row.path),
    )
    const missingFiles = files.filter((file) => !safePaths.has(file))
    unfinished = [
      ...unfinishedRows.map(({ path: file, state, code }) => `${path.basename(file)} is ${state} (${code})`),
      ...missingFiles.map((file) => `${path.basename(file)} is not safe`),
    ]
      .slice(0, 10)
      .join('; ')
    const unsettledCreations = faultStation.rows('SELECT 1 FROM unsettled_creations').length
    return unfinishedRows.length === 0 && missingFiles.length === 0 && unsettledCreations === 0
  }
  await until('all recordings are processed', isDone, TIMEOUT_MS).catch((error: Error) => {
    throw new Error(`${error.message}: ${unfinished}\n${faultStation.allOutput().slice(-3_000)}`)
  })
}

/**
 * The promises after every fault: each file has exactly one session, which is processed and has the bytes of the file.
 * The agent sends no acknowledged part twice and writes no secret to a log. Every recording is processed, and nothing
 * needs attention.
 */
export const findBrokenPromises = async (faultStation: FaultStation): Promise<string[]> => {
  const files = faultStation.files().filter((file) => !faultStation.allowed.deletedFiles.includes(file))
  await waitUntilDone(faultStation, files)
  const violations: string[] = []
  const sessions = (await faultStation.station.sessions()) as unknown as Session[]
  const sessionsByDigest = Map.groupBy(sessions, ({ sha256 }) => sha256)
  const digests = [...faultStation.allowed.formerContents]
  for (const file of files) {
    const sha256 = await sha256OfFile(file)
    digests.push(sha256)
    const fileSessions = (sessionsByDigest.get(sha256) ?? []).filter(
      ({ status }) => !(faultStation.allowed.openSessions && status === 'uploading'),
    )
    if (fileSessions.length !== 1)
      violations.push(`${fileSessions.length} sessions for ${path.basename(file)}`)
    for (const { id, status } of fileSessions) {
      if (status !== 'processed') violations.push(`the session of ${path.basename(file)} is ${status}`)
      else if ((await faultStation.station.stored(id)).sha256 !== sha256)
        violations.push(`the service has different bytes for ${path.basename(file)}`)
    }
  }
  const expectedDigests = new Set(digests)
  const extraSessions = sessions.filter(({ sha256 }) => !expectedDigests.has(sha256))
  if (extraSessions.length > 0)
    violations.push(`sessions without a recording: ${extraSessions.map(({ status }) => status).join(', ')}`)
  if (faultStation.resentParts.length > 0)
    violations.push(`acknowledged parts sent again: ${faultStation.resentParts.join(', ')}`)
  return [...violations, ...findSecretsInLogs(faultStation), ...(await findRemainingProblems(faultStation))]
}

const findSecretsInLogs = (faultStation: FaultStation): string[] => {
  const output = faultStation.allOutput()
  // A set, because thirty thousand searches in twenty megabytes of text would take a quarter of an hour.
  const digests = new Set(output.match(/[0-9a-f]{64}/g))
  const secretCount =
    Object.values(faultStation.station.sandbox.keys).filter((key) => output.includes(key)).length +
    [...faultStation.proxy.signatures].filter((signature) => digests.has(signature)).length
  return secretCount === 0 ? [] : [`${secretCount} secrets in the logs`]
}

/** Waits before it reports a condition, because some conditions clear only at their next probe. */
const findRemainingProblems = async (faultStation: FaultStation): Promise<string[]> => {
  const readProblem = async () => (await faultStation.station.status()).station.problem
  const hasEnded = await until(
    'no condition is left',
    async () => (await readProblem()) === null,
    120_000,
  ).catch(() => false)
  const heldRecordings = faultStation
    .rows<{ path: string; code: string }>(
      "SELECT path, problem_code AS code FROM recordings WHERE problem_code IS NOT NULL AND state <> 'gone'",
    )
    .filter((row) => !faultStation.allowed.deletedFiles.includes(row.path))
  return [
    ...(hasEnded === false ? [`the station still reports ${(await readProblem())?.code}`] : []),
    ...heldRecordings.map(({ code }) => `a recording is still on hold with ${code}`),
  ]
}
