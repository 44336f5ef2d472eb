import { closeSync, linkSync, lstatSync, openSync, renameSync, unlinkSync } from 'node:fs'
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { syncFolder } from '../../../durable-file.ts'
import { movedFile, sameFile } from '../../domain/file-identity.ts'
import { type FileActed, type FileActs, FileChangedError, FileUnreadableError } from '../../ports.ts'
import { describeCode, systemCode } from './file-failure.ts'
import { pathIsOutside, resolved } from './inside-root.ts'
import { openRecording } from './recording-file.ts'
import { identityOf } from './stat-identity.ts'

const done = { kind: 'done' } as const
const changed = { kind: 'changed' } as const

const actedOf = (error: unknown): FileActed => {
  const code = systemCode(error)
  if (code === null) throw error
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'vanished' }
  if (code === 'EEXIST') return { kind: 'taken' }
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return { kind: 'full' }
  if (code === 'EXDEV') return { kind: 'other-drive' }
  return { kind: 'refused', detail: describeCode(code) }
}

/** Some shares have no folders that can be synced; there the server decides what a power cut leaves. */
const sync = (file: string): void => {
  try {
    syncFolder(path.dirname(file))
  } catch (error) {
    if (systemCode(error) === null) throw error
  }
}

const noLinks: ReadonlySet<string | null> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EINVAL',
  'EACCES',
  // What Windows says of exFAT and FAT.
  'EISDIR',
])

/** A link refuses a name that is taken, which a rename would overwrite. FAT and some shares have no links. */
const placeSync = (from: string, to: string): FileActed => {
  try {
    linkSync(from, to)
    unlinkSync(from)
    return done
  } catch (error) {
    if (!noLinks.has(systemCode(error))) return actedOf(error)
  }
  let reserved = false
  try {
    closeSync(openSync(to, 'wx'))
    reserved = true
    renameSync(from, to)
    return done
  } catch (error) {
    if (reserved) unlinkSync(to)
    return actedOf(error)
  }
}

const place = (from: string, to: string): FileActed => {
  const acted = placeSync(from, to)
  if (acted.kind === 'done') {
    sync(to)
    sync(from)
  }
  return acted
}

/**
 * Looked at and renamed without a pause in between, and looked at again under the new name: whatever took its place in
 * that instant gets its name back. The identity of before holds all that is known; a rename changes its last time.
 */
const setAside: (...args: [...Parameters<FileActs['setAside']>, string | null]) => Promise<FileActed> =
  async (file, aside, identity, root) => {
    try {
      if (await pathIsOutside(file, root)) return changed
      const before = lstatSync(file, { bigint: true })
      if (!before.isFile() || !sameFile(identityOf(before), identity)) return changed
      renameSync(file, aside)
      if (movedFile(identityOf(lstatSync(aside, { bigint: true })), identity)) {
        sync(file)
        return done
      }
      place(aside, file)
      return changed
    } catch (error) {
      return actedOf(error)
    }
  }

const writeAll = async (to: FileHandle, chunk: Uint8Array): Promise<void> => {
  for (let at = 0; at < chunk.length; ) at += (await to.write(chunk, at, chunk.length - at)).bytesWritten
}

/** A share that gives its files to another user lets nobody else set their times; the content is what is moved. */
const setTime = async (to: FileHandle, mtimeNs: string): Promise<void> => {
  const mtimeS = Number(BigInt(mtimeNs) / 1000n) / 1e6
  try {
    await to.utimes(mtimeS, mtimeS)
  } catch (error) {
    if (systemCode(error) === null) throw error
  }
}

const copy: (...args: [...Parameters<FileActs['copy']>, string | null]) => Promise<FileActed> = async (
  from,
  to,
  identity,
  signal,
  root,
) => {
  const opened = await openRecording(from, root)
  if (!opened.ok)
    return opened.failure.kind === 'file-vanished'
      ? { kind: 'vanished' }
      : { kind: 'refused', detail: opened.failure.kind }
  const source = opened.value
  let target: FileHandle | null = null
  try {
    target = await open(to, 'wx')
    for await (const chunk of source.read({ start: 0, length: identity.sizeBytes, identity })) {
      if (signal.aborted) throw new FileChangedError('stopped')
      await writeAll(target, chunk)
    }
    await setTime(target, identity.mtimeNs)
    await target.sync()
    await target.close()
    sync(to)
    return done
  } catch (error) {
    await target?.close().catch(() => {})
    if (target !== null) await rm(to, { force: true })
    if (error instanceof FileChangedError) return changed
    if (error instanceof FileUnreadableError) return { kind: 'refused', detail: error.message }
    return actedOf(error)
  } finally {
    await source.close()
  }
}

const acted = async (act: () => unknown): Promise<FileActed> => {
  try {
    await act()
    return done
  } catch (error) {
    return actedOf(error)
  }
}

/** `rootOf`: the watched folder that a path must not lead out of. */
export const createFileActs = (
  toOpen: (path: string) => string,
  rootOf: (path: string) => string | null,
): FileActs => ({
  setAside: (file, aside, identity) => setAside(toOpen(file), toOpen(aside), identity, rootOf(file)),
  place: async (from, to) => place(toOpen(from), toOpen(to)),
  copy: (from, to, identity, signal) => copy(toOpen(from), toOpen(to), identity, signal, rootOf(from)),
  remove: (file) =>
    acted(() => {
      unlinkSync(toOpen(file))
      sync(toOpen(file))
    }),
  makeFolder: (folder) => acted(() => mkdir(toOpen(folder), { recursive: true })),
  realFolder: async (folder) => {
    try {
      const real = await resolved(toOpen(folder), process.platform)
      return (await stat(real)).isDirectory() ? real : null
    } catch (error) {
      if (systemCode(error) === null) throw error
      return null
    }
  },
  sameDrive: async (a, b) => {
    try {
      const [one, other] = await Promise.all([stat(toOpen(a)), stat(toOpen(b))])
      return one.dev === other.dev
    } catch (error) {
      if (systemCode(error) === null) throw error
      // The next act on it tells what is wrong.
      return true
    }
  },
})
