import { open, unlink, writeFile } from 'node:fs/promises'
import type { Paths } from '../../../../shared/paths/paths.ts'
import { CANARY_NAME } from '../../../../shared/paths/system-names.ts'
import { describeCode, systemCode } from '../files/file-failure.ts'
import { readFlags } from '../files/open-file.ts'
import { startWatchThread } from './watch-thread.ts'

/** This text must not change, because Sluice uses it to recognise a canary file that a crash left behind. */
const CONTENT = 'Sluice looks whether the system announces new files here. This file can be deleted.\n'
/** A slow PC may need seconds to start a thread. */
const START_TIMEOUT_MS = 15_000
const EVENT_TIMEOUT_MS = 3_000

export type CanaryResult =
  | { readonly kind: 'seen' | 'unseen' }
  | { readonly kind: 'read-only' | 'unwatchable'; readonly detail: string }

/** Null if the path is not a readable regular file. Reads at most one byte more than a canary file contains. */
const textOf = async (file: string): Promise<string | null> => {
  const handle = await open(file, readFlags).catch(() => null)
  if (handle === null) return null
  try {
    if (!(await handle.stat()).isFile()) return null
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(CONTENT.length + 1), 0)
    return buffer.toString('utf8', 0, bytesRead)
  } catch {
    return null
  } finally {
    await handle.close()
  }
}

/** Removes the file only if it is a canary file that a crash left behind. */
const removeOldCanary = async (file: string): Promise<boolean> => {
  if ((await textOf(file)) !== CONTENT) return false
  await unlink(file).catch(() => {})
  return true
}

const writeCanary = async (file: string): Promise<void> => {
  const create = () => writeFile(file, CONTENT, { flag: 'wx' })
  try {
    await create()
  } catch (error) {
    if (systemCode(error) !== 'EEXIST' || !(await removeOldCanary(file))) throw error
    await create()
  }
}

/**
 * Writes a file that every folder filter excludes, waits for its event, and removes the file. Uses `fs.watch`, as
 * chokidar does, but reads no other file.
 */
export const sendCanary = async (
  folder: string,
  paths: Paths,
  signal: AbortSignal,
): Promise<CanaryResult> => {
  const file = paths.toOpen(paths.join(folder, CANARY_NAME))
  const { promise, resolve } = Promise.withResolvers<CanaryResult>()
  const onWatchError = (error: unknown) =>
    resolve({ kind: 'unwatchable', detail: describeCode(systemCode(error) ?? 'unknown') })
  const giveUp = () => resolve({ kind: 'unseen' })
  let timer = setTimeout(giveUp, START_TIMEOUT_MS)
  signal.addEventListener('abort', giveUp)
  // Starting a watch accesses the drive. If the drive hangs, it blocks only this thread.
  const thread = startWatchThread()
  let isWatched = false
  try {
    const onEvent = (_: string, name: string | null) => {
      if (name === null || name === CANARY_NAME) resolve({ kind: 'seen' })
    }
    const started = thread.watch(paths.toOpen(folder), onEvent, onWatchError).then(() => null)
    const earlyResult = await Promise.race([started, promise])
    if (earlyResult !== null) return earlyResult
    isWatched = true
    await writeCanary(file)
    clearTimeout(timer)
    timer = setTimeout(giveUp, EVENT_TIMEOUT_MS)
    try {
      return await promise
    } finally {
      await unlink(file).catch(() => {})
    }
  } catch (error) {
    const code = systemCode(error)
    if (code === null) throw error
    const detail = describeCode(code)
    return { kind: isWatched ? 'read-only' : 'unwatchable', detail }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
    thread.close()
  }
}
