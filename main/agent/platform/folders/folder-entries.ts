import type { Dir, Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'

export type Entry = Dirent<Buffer>

type Entries = Omit<Dir, 'read' | 'readSync'> & {
  readonly read: () => Promise<Entry | null>
  readonly readSync: () => Entry | null
}

/** Entries fetched in one go: larger batches are not faster, smaller ones keep the event loop freer. */
const BATCH = 128
/** Longer than a busy loop takes for a batch, shorter than a drive that looks for something. */
const QUICK_MS = 5

export const openFolder = async (path: string): Promise<Entries> => {
  // The types of opendir know only text encodings, but its entries follow the option as readdir's do.
  const options = { encoding: 'buffer' as BufferEncoding, bufferSize: BATCH }
  return (await opendir(path, options)) as unknown as Entries
}

/** A drive that may hang is asked in a thread for each entry, since its folder may end in the middle of a batch. */
async function* oneByOne(entries: Entries): AsyncGenerator<readonly Entry[]> {
  try {
    for (let entry = await entries.read(); entry !== null; entry = await entries.read()) yield [entry]
  } finally {
    await entries.close()
  }
}

/** What was fetched already; in a thread where Node has not yet come to the end of the last question. */
const readAtOnce = (entries: Entries): Entry | null | Promise<Entry | null> => {
  try {
    return entries.readSync()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_DIR_CONCURRENT_OPERATION') throw error
    return entries.read()
  }
}

/**
 * A batch was fetched with its first entry, and a promise for each of the others costs more than the entry. Where the
 * folder ends its drive is asked once more: not by a loop that waits, if it was slow just now.
 */
const fetchBatch = async (entries: Entries): Promise<Entry[]> => {
  const batch: Entry[] = []
  const askedAtMs = performance.now()
  let next = await entries.read()
  const isQuick = performance.now() - askedAtMs < QUICK_MS
  while (next !== null && batch.push(next) < BATCH) {
    const answer = isQuick ? readAtOnce(entries) : entries.read()
    next = answer instanceof Promise ? await answer : answer
  }
  return batch
}

/** The next batch is fetched while somebody works on the last. */
async function* oneAhead(entries: Entries): AsyncGenerator<readonly Entry[]> {
  let fetching = fetchBatch(entries)
  let isLeft = false
  try {
    for (let batch = await fetching; batch.length > 0; batch = await fetching) {
      fetching = fetchBatch(entries)
      // Whoever awaits it hears of it; until then it is nobody's rejection.
      fetching.catch(() => {})
      isLeft = true
      yield batch
      isLeft = false
    }
  } finally {
    const closed = fetching.catch(() => {}).then(() => entries.close())
    // Who wants no more of it does not wait for a drive that hangs.
    if (isLeft) closed.catch(() => {})
    else await closed
  }
}

/** What a folder holds; it is closed at its end, or when nobody wants more of it. */
export const batchesOf = (entries: Entries, areAtHand: boolean): AsyncGenerator<readonly Entry[]> =>
  areAtHand ? oneAhead(entries) : oneByOne(entries)
