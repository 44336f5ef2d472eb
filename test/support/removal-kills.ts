import { existsSync, type FSWatcher, mkdirSync, readdirSync, watch } from 'node:fs'
import path from 'node:path'
import { readJournal } from './journal-file.ts'
import { writeRandomFile } from './kill-repeatedly.ts'
import { seeded } from './seeded.ts'
import { type Station, sha256OfFile, until } from './station.ts'

export type RemovalRow = {
  readonly path: string
  readonly state: string
  readonly sha256: string
  readonly session_id: string
  readonly removed_at: number | null
  readonly moved_to: string | null
}

export const readRemovalRows = (station: Station): RemovalRow[] =>
  readJournal(
    station.data,
    'SELECT path, state, sha256, session_id, removed_at, moved_to FROM recordings ORDER BY id',
  )

/** Writes `count` files into the folder `night` and uploads them. Returns the digest of each file by its name. */
export const recordNight = async (
  station: Station,
  count: number,
  bytes = 4_000,
): Promise<Map<string, string>> => {
  const random = seeded(7)
  mkdirSync(path.join(station.recordings, 'night'), { recursive: true })
  const digests = new Map<string, string>()
  for (let index = 0; index < count; index += 1) {
    const name = path.join('night', `take-${index}.bin`)
    const file = path.join(station.recordings, name)
    await writeRandomFile(file, bytes + index, random)
    digests.set(name, await sha256OfFile(file))
  }
  const code = await station.runToIdle()
  if (code !== 0) throw new Error(`the recordings were not processed: exit code ${code}`)
  return digests
}

export const readStepsInProgress = (station: Station): string[] =>
  readJournal<{ step: string }>(station.data, 'SELECT step FROM removals WHERE step IS NOT NULL').map(
    ({ step }) => step,
  )

const REMOVAL_PREFIX = '.sluice-removing-'

export const findLeftovers = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.includes(REMOVAL_PREFIX),
      )
    : []

/**
 * Starts the agent. Kills it at the nth change of a `.sluice-removing-…` file in these folders, or at the latest after
 * the last removal.
 */
export const killAtFileEvent = async (
  station: Station,
  folders: readonly string[],
  nth: number,
): Promise<void> => {
  const watchers: FSWatcher[] = []
  const agent = station.agent()
  let events = 0
  try {
    const kill = new Promise<void>((resolve) => {
      for (const folder of folders) {
        mkdirSync(folder, { recursive: true })
        watchers.push(
          watch(folder, (_, name) => {
            if (name?.includes(REMOVAL_PREFIX) !== true) return
            events += 1
            if (events !== nth) return
            agent.child.kill('SIGKILL')
            resolve()
          }),
        )
      }
    })
    const removalEnd = until('nothing is left to remove', () =>
      readRemovalRows(station).every(({ removed_at }) => removed_at !== null),
    )
    await Promise.race([kill, removalEnd])
  } finally {
    for (const watcher of watchers) watcher.close()
    await agent.kill('SIGKILL')
  }
}

/** Names of recordings whose content is neither in one of these folders nor at the service. */
export const findLostRecordings = async (
  station: Station,
  digests: ReadonlyMap<string, string>,
  folders: readonly string[],
  digestOf: (file: string) => Promise<string>,
): Promise<string[]> => {
  const localDigests = new Set<string>()
  for (const folder of folders)
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) localDigests.add(await digestOf(path.join(entry.parentPath, entry.name)))
  const lostNames: string[] = []
  for (const [name, sha256] of digests) {
    if (localDigests.has(sha256)) continue
    const row = readRemovalRows(station).find((candidate) => candidate.path.endsWith(name))
    const stored = row === undefined ? null : await station.stored(row.session_id).catch(() => null)
    if (stored?.sha256 !== sha256) lostNames.push(name)
  }
  return lostNames
}
