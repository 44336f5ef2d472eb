import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { windowsPaths } from '../../../../shared/paths/paths.ts'
import type { Log } from '../../ports/clock.ts'
import type { FileInspection } from '../../ports/files.ts'
import { systemCode } from './file-failure.ts'
import type { FileUsers } from './windows-file-users.ts'
import type { OpenWriters } from './writers.ts'

type Writer = FileInspection['writer']
type Request = { readonly path: string; readonly answer: (writer: Writer) => void }

/** Each Restart Manager session writes to the registry, so several files share a session. */
const FILES_PER_SESSION = 8
/** The Restart Manager may not find files with longer paths. */
const MAX_PATH_CHARS = 259
/**
 * An answer usually takes milliseconds. But Windows may wait for its own services or a hung share, and never answer.
 */
const ANSWER_TIMEOUT_MS = 30_000

/**
 * Whether the Restart Manager can check this path. The Restart Manager gets paths without the prefix `\\?\`. Without
 * this prefix, Windows opens a different file if a name ends with a dot or space, or is a device name. The Restart
 * Manager then finds no process that has the recording open.
 */
const isPlainPath = (path: string): boolean =>
  path.length <= MAX_PATH_CHARS && !windowsPaths.show(path).startsWith('\\\\?\\')

class NoAnswerError extends Error {
  constructor() {
    super('the Restart Manager did not answer')
  }
}

type Sleep = (ms: number, value: undefined, options: { readonly signal: AbortSignal }) => Promise<unknown>

const withTimeout = async <T>(sleep: Sleep, work: Promise<T>): Promise<T> => {
  const timeoutEnd = new AbortController()
  const timeout = sleep(ANSWER_TIMEOUT_MS, undefined, timeoutEnd).then(() => {
    throw new NoAnswerError()
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    timeoutEnd.abort()
  }
}

/**
 * A writer that shares write access (Node, Python, C's fopen) blocks no other program, so opening the file with full
 * sharing does not reveal this writer. The Restart Manager knows which processes have a file open, but not whether they
 * write. If another process has the file open, Sluice also opens it without write sharing, which fails if that process
 * writes.
 *
 * Sluice uses the Restart Manager only if it passes a test, because under Wine it always answers that no process has
 * the file open.
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
  let queue: Request[] = []
  let isRunning = false
  let isOverdue = false
  let hasWarned = false
  const warn = (reason: string): void => {
    if (hasWarned) return
    hasWarned = true
    log.warn('cannot detect open writers on this PC; files must stay unchanged for longer', { reason })
  }

  const users: Promise<FileUsers | null> = load().then(
    async (loaded) => {
      const problem = await withTimeout(sleep, whyUnreliable(loaded, ownPid)).catch(String)
      if (problem === null) return loaded
      warn(problem)
      return null
    },
    (error: unknown) => {
      warn(String(error))
      return null
    },
  )

  const isOpenElsewhere = async (fileUsers: FileUsers, paths: readonly string[]): Promise<boolean> =>
    (await fileUsers.pidsOf(paths)).some((pid) => pid !== ownPid)

  const answerAll = async (fileUsers: FileUsers, requests: readonly Request[]): Promise<void> => {
    const [first] = requests
    if (first === undefined) return
    const paths = requests.map(({ path }) => path)
    if (!(await isOpenElsewhere(fileUsers, paths))) {
      for (const { path, answer } of requests)
        answer((await fileUsers.isRemote(path)) ? await probe(path) : 'none')
    } else if (requests.length === 1) first.answer((await fileUsers.hasWriter(first.path)) ? 'open' : 'none')
    else {
      const half = Math.ceil(requests.length / 2)
      await answerAll(fileUsers, requests.slice(0, half))
      await answerAll(fileUsers, requests.slice(half))
    }
  }

  /**
   * Answers `unseen` to the queued callers, then waits for the overdue batch. Meanwhile, `writerOf` does not use the
   * Restart Manager.
   */
  const waitForOverdue = async (answered: Promise<void>): Promise<void> => {
    isOverdue = true
    for (const { answer } of queue.splice(0)) answer('unseen')
    await answered.catch(() => {})
    isOverdue = false
  }

  const answerQueue = async (fileUsers: FileUsers): Promise<void> => {
    isRunning = true
    while (queue.length > 0) {
      const batch = queue.slice(0, FILES_PER_SESSION)
      queue = queue.slice(FILES_PER_SESSION)
      const answered = answerAll(fileUsers, batch)
      try {
        await withTimeout(sleep, answered)
      } catch (error) {
        warn(String(error))
        // Callers that already have an answer keep it.
        for (const { answer } of batch) answer('unseen')
        if (error instanceof NoAnswerError) await waitForOverdue(answered)
      }
    }
    isRunning = false
  }

  const writerOf = async (path: string): Promise<Writer> => {
    const fileUsers = await users
    if (fileUsers === null || isOverdue || !isPlainPath(path)) return probe(path)
    return new Promise((answer) => {
      queue.push({ path, answer })
      if (!isRunning) void answerQueue(fileUsers)
    })
  }

  return { writerOf, list: null }
}

/**
 * Opens the file for writing with full sharing, but writes nothing. The open fails with `EBUSY` if a process has the
 * file open without read sharing or without write sharing. So a reader without write sharing counts as a writer,
 * too. If the open succeeds, there may still be a writer that shares both.
 */
const probe = async (path: string): Promise<Writer> => {
  try {
    await (await open(path, 'r+')).close()
    return 'unseen'
  } catch (error) {
    return systemCode(error) === 'EBUSY' ? 'open' : 'unseen'
  }
}

/** Tests the Restart Manager on a temporary file, while it is open for writing and after it is closed. */
const whyUnreliable = async (users: FileUsers, ownPid: number): Promise<string | null> => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-writer-'))
  try {
    const file = join(folder, 'held')
    const handle = await open(file, 'w')
    try {
      if (!(await users.pidsOf([file])).includes(ownPid))
        return 'the Restart Manager does not report an open file'
      if (!(await users.hasWriter(file)))
        return 'the test file is open for writing, but Sluice detects no writer'
    } finally {
      await handle.close()
    }
    if ((await users.pidsOf([file])).includes(ownPid))
      return 'the Restart Manager reports a closed file as open'
    return (await users.hasWriter(file))
      ? 'the test file is closed, but it seems to be open for writing'
      : null
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
