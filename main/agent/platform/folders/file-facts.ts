import { type BigIntStats, lstatSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import type { Sharing } from '../../ports/folders.ts'
import { systemCode } from '../files/file-failure.ts'

/** What the system says of a file, or the code of its refusal. */
export type FileFacts = BigIntStats | string

export type FactsOf = {
  /** How many files are asked about in one go, at most. */
  readonly atOnce: number
  /** Whether a single question may keep the loop waiting: its answer is in memory. */
  readonly areAtHand: boolean
  /** In the order of the paths. */
  readonly ask: (paths: readonly string[]) => Promise<readonly FileFacts[]>
}

const facts = { bigint: true } as const
/** Waiting questions to a drive whose answers have to be read from it. */
const WAITING = 4
/** What is in memory is answered in a hundredth of this. */
const FROM_MEMORY_MS = 1

const refusal = (error: unknown): string => {
  const code = systemCode(error)
  if (code === null) throw error
  return code
}

const askBeside = (path: string): Promise<FileFacts> => lstat(path, facts).catch(refusal)

const askAtOnce = (path: string): FileFacts => {
  try {
    return lstatSync(path, facts)
  } catch (error) {
    return refusal(error)
  }
}

const besideOnly = (atOnce: number): FactsOf => ({
  atOnce,
  areAtHand: false,
  ask: (paths) => Promise.all(paths.map(askBeside)),
})

/**
 * A question through a thread costs five times its answer. So the first of many goes that way and shows whether the
 * drive answers from memory; only then are the others asked at once, for as long as it does, and a few beside where it
 * does not.
 */
const fromMemory: FactsOf = {
  atOnce: 128,
  areAtHand: true,
  ask: async (paths) => {
    const found: FileFacts[] = []
    let isQuick = false
    let askedAtMs = performance.now()
    while (found.length < paths.length) {
      const from = found.length
      const waiting = from === 0 ? 1 : WAITING
      if (isQuick) found.push(askAtOnce(paths[from] as string))
      else found.push(...(await Promise.all(paths.slice(from, from + waiting).map(askBeside))))
      const answeredAtMs = performance.now()
      // A loop that was busy meanwhile looks like a slow drive: the next answers tell.
      isQuick = answeredAtMs - askedAtMs < FROM_MEMORY_MS
      askedAtMs = answeredAtMs
    }
    return found
  },
}

/** A share may hang, and what may be one: the loop never waits for it, and few questions do, or they hold every thread. */
export const factsOn: Readonly<Record<Sharing, FactsOf>> = {
  own: fromMemory,
  unknown: besideOnly(WAITING),
  shared: besideOnly(2),
}
