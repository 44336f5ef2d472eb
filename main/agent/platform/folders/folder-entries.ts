import type { Dir, Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'

export type FolderEntry = Dirent<Buffer>

type Entries = Omit<Dir, 'read' | 'readSync'> & {
  readonly read: () => Promise<FolderEntry | null>
  readonly readSync: () => FolderEntry | null
}

/** Entries per batch. Larger batches are not faster, and smaller batches keep the event loop freer. */
const BATCH = 128
/** Longer than a busy event loop needs for a cached batch, shorter than a disk seek. */
const CACHED_MS = 5

export const openFolder = async (path: string): Promise<Entries> => {
  // The types of opendir allow only text encodings, but opendir accepts the option like readdir.
  const options = { encoding: 'buffer' as BufferEncoding, bufferSize: BATCH }
  return (await opendir(path, options)) as unknown as Entries
}

/**
 * For a drive that may hang: reads each entry through the thread pool, since any read may be the one that calls the
 * drive.
 */
async function* oneByOne(entries: Entries): AsyncGenerator<readonly FolderEntry[]> {
  try {
    for (let entry = await entries.read(); entry !== null; entry = await entries.read()) yield [entry]
  } finally {
    await entries.close()
  }
}

/** Reads an entry that is already fetched. Uses the thread pool while Node still finishes the previous read. */
const readFetched = (entries: Entries): FolderEntry | null | Promise<FolderEntry | null> => {
  try {
    return entries.readSync()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_DIR_CONCURRENT_OPERATION') throw error
    return entries.read()
  }
}

/**
 * The first read fetches a whole batch. A promise for each further entry would cost more than the entry, so Sluice reads
 * those entries synchronously. At the end of the folder, Node calls the drive once more. If the drive was slow just now,
 * all reads of the batch are asynchronous.
 */
const fetchBatch = async (entries: Entries): Promise<FolderEntry[]> => {
  const batch: FolderEntry[] = []
  const startedAtMs = performance.now()
  let next = await entries.read()
  const isCached = performance.now() - startedAtMs < CACHED_MS
  while (next !== null && batch.push(next) < BATCH) {
    const answer = isCached ? readFetched(entries) : entries.read()
    next = answer instanceof Promise ? await answer : answer
  }
  return batch
}

/** Fetches the next batch while the caller works on the current one. */
async function* oneAhead(entries: Entries): AsyncGenerator<readonly FolderEntry[]> {
  let fetching = fetchBatch(entries)
  let isAbandoned = false
  try {
    for (let batch = await fetching; batch.length > 0; batch = await fetching) {
      fetching = fetchBatch(entries)
      // The caller gets the error when it awaits this promise. Until then, the rejection must not count as unhandled.
      fetching.catch(() => {})
      isAbandoned = true
      yield batch
      isAbandoned = false
    }
  } finally {
    const closed = fetching.catch(() => {}).then(() => entries.close())
    // A caller that stops early does not wait for a hung drive.
    if (isAbandoned) closed.catch(() => {})
    else await closed
  }
}

/** Reads the entries of a folder. Closes the folder at its end, or when the caller stops. */
export const batchesOf = (entries: Entries, areCached: boolean): AsyncGenerator<readonly FolderEntry[]> =>
  areCached ? oneAhead(entries) : oneByOne(entries)
