import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { windowsPaths } from '../../../../shared/paths/paths.ts'
import type { Log } from '../../ports/clock.ts'
import type { FileInspection } from '../../ports/files.ts'
import { systemCode } from './file-failure.ts'
import type { OpenWriters } from './open-writers.ts'
import type { FileUsers } from './windows-file-users.ts'

type Writer = FileInspection['writer']
type Asked = { readonly path: string; readonly answer: (writer: Writer) => void }

/** Each question to the Restart Manager is a session with entries in the registry: files share one. */
const filesPerSession = 8
/** Beyond this the Restart Manager is not known to find a file. */
const longestPath = 259
/** An answer takes a moment. Windows asks its own services for it, and a share that hangs: it may never come. */
const longestAnswerMs = 30_000

/**
 * A plain path with a dot or space at the end of a name, or a device's name, leads to another file: of that one it would
 * be told that nobody writes it.
 */
const isAskedByPlainPath = (path: string): boolean =>
  path.length <= longestPath && !windowsPaths.show(path).startsWith('\\\\?\\')

class NoAnswerError extends Error {
  constructor() {
    super('the Restart Manager did not answer')
  }
}

type Sleep = (ms: number, value: undefined, options: { readonly signal: AbortSignal }) => Promise<unknown>

const within = async <T>(sleep: Sleep, work: Promise<T>): Promise<T> => {
  const done = new AbortController()
  const tooLate = sleep(longestAnswerMs, undefined, done).then(() => {
    throw new NoAnswerError()
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    done.abort()
  }
}

/**
 * A writer that shares write access (Node, Python, C's fopen) is refused to nobody, so no way of opening the file finds
 * it. The Restart Manager knows who has a file open, though not how; what is written and what is only read is then told
 * by asking to share it with no writer.
 *
 * It is believed only where it was seen to tell the truth: Wine's always answers "nobody".
 */
export const createWindowsWriters = ({
  load,
  log,
  ownPid = process.pid,
  sleep = setTimeout,
}: {
  readonly load: () => Promise<FileUsers>
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly ownPid?: number
  readonly sleep?: Sleep
}): OpenWriters => {
  let waiting: Asked[] = []
  let isAsking = false
  /** A question has no answer yet, long after it should have one. */
  let isSilent = false
  let hasWarned = false
  const warn = (reason: string): void => {
    if (hasWarned) return
    hasWarned = true
    log.warn('who writes a file cannot be seen on this PC; files have to stand still for longer', { reason })
  }

  const users: Promise<FileUsers | null> = load().then(
    async (loaded) => {
      const wrong = await within(sleep, whyNotBelieved(loaded, ownPid)).catch(String)
      if (wrong === null) return loaded
      warn(wrong)
      return null
    },
    (error: unknown) => {
      warn(String(error))
      return null
    },
  )

  const othersOf = async (known: FileUsers, paths: readonly string[]): Promise<boolean> =>
    (await known.pidsOf(paths)).some((pid) => pid !== ownPid)

  const answerAll = async (known: FileUsers, asked: readonly Asked[]): Promise<void> => {
    const [first] = asked
    if (first === undefined) return
    const paths = asked.map(({ path }) => path)
    if (!(await othersOf(known, paths))) {
      for (const { path, answer } of asked) answer((await known.isRemote(path)) ? await probe(path) : 'none')
    } else if (asked.length === 1) first.answer((await known.hasWriter(first.path)) ? 'open' : 'none')
    else {
      const half = Math.ceil(asked.length / 2)
      await answerAll(known, asked.slice(0, half))
      await answerAll(known, asked.slice(half))
    }
  }

  /** Nobody waits for it meanwhile. */
  const untilItSpeaks = async (answered: Promise<void>): Promise<void> => {
    isSilent = true
    for (const { answer } of waiting.splice(0)) answer('unseen')
    await answered.catch(() => {})
    isSilent = false
  }

  const askAll = async (known: FileUsers): Promise<void> => {
    isAsking = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, filesPerSession)
      waiting = waiting.slice(filesPerSession)
      const answered = answerAll(known, batch)
      try {
        await within(sleep, answered)
      } catch (error) {
        warn(String(error))
        // Whoever has an answer already keeps it.
        for (const { answer } of batch) answer('unseen')
        if (error instanceof NoAnswerError) await untilItSpeaks(answered)
      }
    }
    isAsking = false
  }

  const writerOf = async (path: string): Promise<Writer> => {
    const known = await users
    if (known === null || isSilent || !isAskedByPlainPath(path)) return probe(path)
    return new Promise((answer) => {
      waiting.push({ path, answer })
      if (!isAsking) void askAll(known)
    })
  }

  return { writerOf, list: null }
}

/**
 * Asking for write access, sharing everything: refused while a writer shares less. Nothing is written. That nobody
 * refuses says nothing about those who share.
 */
const probe = async (path: string): Promise<Writer> => {
  try {
    await (await open(path, 'r+')).close()
    return 'unseen'
  } catch (error) {
    return systemCode(error) === 'EBUSY' ? 'open' : 'unseen'
  }
}

/** An own file, open for writing and then closed: what is said of it has to be true both times. */
const whyNotBelieved = async (users: FileUsers, ownPid: number): Promise<string | null> => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-writer-'))
  try {
    const file = join(folder, 'held')
    const handle = await open(file, 'w')
    try {
      if (!(await users.pidsOf([file])).includes(ownPid))
        return 'the Restart Manager does not see a file that is open'
      if (!(await users.hasWriter(file)))
        return 'a file that is open for writing is not told from one that is not'
    } finally {
      await handle.close()
    }
    if ((await users.pidsOf([file])).includes(ownPid)) return 'the Restart Manager sees a file that is closed'
    return (await users.hasWriter(file)) ? 'a file that is closed is told to be open for writing' : null
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
