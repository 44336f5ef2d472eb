import type { Dir, Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'

export type FolderEntry = Dirent<Buffer>

type Entries = Omit<Dir, 'read' | 'readSync'> & {
  readonly read: () => Promise<FolderEntry | null>
  readonly readSync: () => FolderEntry | null
}

/** Larger batches are not faster, and they block the event loop for longer. */
const BATCH_ENTRIES = 128
/**
 * If the first read takes less time than this, its data came from the cache. A disk seek takes longer. A cached batch
 * takes less time even if the event loop is busy.
 */
const MAX_CACHED_READ_MS = 5

export const openFolder = async (path: string): Promise<Entries> => {
  // The types of opendir allow only text encodings, but opendir also accepts 'buffer', as readdir does.
  const options = { encoding: 'buffer' as BufferEncoding, bufferSize: BATCH_ENTRIES }
  return (await opendir(path, options)) as unknown as Entries
}

/** For a drive that may hang: reads each entry asynchronously, because any read may call the drive. */
async function* readOneByOne(entries: Entries): AsyncGenerator<readonly FolderEntry[]> {
  try {
    for (let entry = await entries.read(); entry !== null; entry = await entries.read()) yield [entry]
  } finally {
    await entries.close()
  }
}

/** Reads an entry of the fetched batch. While Node still finishes the previous read, the result is a promise. */
const readFetched = (entries: Entries): FolderEntry | null | Promise<FolderEntry | null> => {
  try {
    return entries.readSync()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_DIR_CONCURRENT_OPERATION') throw error
    return entries.read()
  }
}

/**
 * The first read fetches a whole batch. Awaiting each further entry would cost more than reading it, so Sluice reads
 * the rest of the batch synchronously. But at the end of the folder, a read calls the drive again, and a slow drive
 * would block the event loop. So if the first read was slow, all reads are asynchronous.
 */
const fetchBatch = async (entries: Entries): Promise<FolderEntry[]> => {
  const batch: FolderEntry[] = []
  const startedAtMs = performance.now()
  let next = await entries.read()
  const isCached = performance.now() - startedAtMs < MAX_CACHED_READ_MS
  while (next !== null && batch.push(next) < BATCH_ENTRIES) {
    const answer = isCached ? readFetched(entries) : entries.read()
    next = answer instanceof Promise ? await answer : answer
  }
  return batch
}

/** Fetches the next batch while the caller works on the current one. */
async function* readAhead(entries: Entries): AsyncGenerator<readonly FolderEntry[]> {
  let fetching = fetchBatch(entries)
  let isAbandoned = false
  try {
    for (let batch = await fetching; batch.length > 0; batch = await fetching) {
      fetching = fetchBatch(entries)
      // The loop awaits this promise later. Until then, a rejection must not count as unhandled.
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
export const batchesOf = (entries: Entries, maySyncRead: boolean): AsyncGenerator<readonly FolderEntry[]> =>
  maySyncRead ? readAhead(entries) : readOneByOne(entries)
