import path from 'node:path'

/**
 * What Sluice starts as a process or a thread, each with the name of its file in `out/main`. One file each, because a
 * program of 400 modules takes half as long again to start; all in one folder, because a thread is looked for beside
 * whoever starts it.
 */
export const PROGRAMS = {
  index: 'main/index.ts',
  'agent-process': 'main/agent/entry/process.ts',
  'agent-cli': 'main/agent/entry/cli.ts',
  'sandbox-process': 'main/sandbox-process.ts',
  'sandbox-cli': 'sandbox/cli.ts',
  'check-worker': 'main/agent/journal/check-worker.ts',
  'watch-worker': 'main/agent/platform/folders/watch-worker.ts',
  'hash-worker': 'main/agent/platform/hashing/hash-worker.ts',
  'part-hash-worker': 'main/agent/platform/hashing/part-hash-worker.ts',
  'range-hash-worker': 'main/agent/platform/hashing/range-hash-worker.ts',
}

/**
 * @param {string} out
 * @param {string} entry relative to the repository
 * @returns {string} the file that it is bundled into
 */
export const programFile = (out, entry) => {
  const name = Object.entries(PROGRAMS).find(([, source]) => source === entry)?.[0]
  if (name === undefined) throw new Error(`${entry} is no program of Sluice`)
  return path.join(out, 'main', `${name}.js`)
}
