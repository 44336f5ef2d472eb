import path from 'node:path'

/**
 * Every process and thread of Sluice: its file name in `out/main`, and its source. Each program is bundled into one
 * file, because loading 400 modules takes 1.5 times as long. A process looks for its threads beside its own file.
 */
export const PROGRAMS = {
  index: 'main/index.ts',
  'agent-process': 'main/agent/process.ts',
  'agent-cli': 'main/cli/cli.ts',
  'sandbox-process': 'main/sandbox/sandbox-process.ts',
  'sandbox-cli': 'sandbox/cli.ts',
  'server-cli': 'server/cli.ts',
  'inspection-process': 'server/processing/inspection-process.ts',
  'processing-worker': 'server/processing/processing-worker.ts',
  'check-worker': 'main/agent/journal/check-worker.ts',
  'watch-worker': 'main/agent/platform/folders/watch-worker.ts',
  'hash-worker': 'main/agent/platform/hashing/hash-worker.ts',
  'part-hash-worker': 'main/agent/platform/hashing/part-hash-worker.ts',
  'inspection-worker': 'main/agent/platform/inspection/inspection-worker.ts',
  'range-hash-worker': 'main/agent/platform/hashing/range-hash-worker.ts',
}

/**
 * @param {string} out
 * @param {string} entry relative to the repository
 * @returns {string} the path of the bundle
 */
export const programFile = (out, entry) => {
  const name = Object.entries(PROGRAMS).find(([, source]) => source === entry)?.[0]
  if (name === undefined) throw new Error(`${entry} is not a program of Sluice`)
  return path.join(out, 'main', `${name}.js`)
}
