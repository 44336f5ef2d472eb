import { createHash } from 'node:crypto'
import { type FileHandle, lstat, open, statfs } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { systemClock } from '../../../../shared/clock/clock.ts'
import type { ByteSource } from '../../../../shared/formats/bounded-reader.ts'
import type { EndMark } from '../../../../shared/formats/format.ts'
import { findEnd } from '../../../../shared/formats/inspect.ts'
import { decodeText } from '../../../../shared/words/decode-text.ts'
import { done, failed, type Outcome } from '../../domain/failure.ts'
import type { FileIdentity } from '../../domain/file-identity.ts'
import type { FileInspection } from '../../ports/files.ts'
import { storesOwners } from '../folders/network-drive.ts'
import { fileFailure, systemCode } from './file-failure.ts'
import { isPathOutside, outsideDetail, whyOutside } from './inside-root.ts'
import { readFlags } from './open-file.ts'
import { identityOf } from './stat-identity.ts'
import type { OpenWriters, OwnedFile } from './writers.ts'

/** If the system does not list writers, Sluice detects a write by a change in the first or last bytes of the file. */
const sampleBytes = 4096
const headBytes = 12
/** The end check reads only a few kilobytes, so this is enough even for a slow drive. */
const endCheckTimeoutMs = 10_000

const unreadable = (detail: string) => failed({ kind: 'file-unreadable', detail })
const notAFile = unreadable('it is not a regular file')

export const identifyFile = async (
  path: string,
  root: string | null = null,
): Promise<Outcome<FileIdentity>> => {
  try {
    const stats =
      process.platform === 'win32' ? await statThroughHandle(path) : await lstat(path, { bigint: true })
    if (!stats.isFile()) return notAFile
    return (await isPathOutside(path, root)) ? unreadable(outsideDetail) : done(identityOf(stats))
  } catch (error) {
    return failed(fileFailure(error))
  }
}

/**
 * Windows updates size and times in the folder listing only when the writer closes the file. A handle has the current
 * values.
 */
const statThroughHandle = async (path: string) => {
  let handle: FileHandle
  try {
    handle = await open(path, readFlags)
  } catch (error) {
    if (systemCode(error) === 'EBUSY') return lstat(path, { bigint: true })
    throw error
  }
  try {
    return await handle.stat({ bigint: true })
  } finally {
    await handle.close()
  }
}

/**
 * Does not open the file, so that a program can still open it exclusively. Null if the path is no regular file, or if
 * the system reports an error.
 */
export const statWithoutOpening = async (path: string): Promise<FileIdentity | null> => {
  const stats = await lstat(path, { bigint: true }).catch(() => null)
  return stats?.isFile() ? identityOf(stats) : null
}

type FileContent = {
  readonly inspection: Omit<FileInspection, 'writer'>
  readonly identity: OwnedFile | null
}

/** The writer check runs outside `onDrive`, because it inspects the open files of all drives. */
export const inspectFile = async (
  path: string,
  writers: Pick<OpenWriters, 'writerOf'>,
  root: string | null = null,
  onDrive: (call: () => Promise<Outcome<FileContent>>) => Promise<Outcome<FileContent>> = (call) => call(),
): Promise<Outcome<FileInspection>> => {
  const content = await onDrive(() => readContent(path, root))
  if (!content.ok) return content
  const { inspection, identity } = content.value
  return done({
    ...inspection,
    writer: identity === null ? 'open' : await writers.writerOf(path, identity),
  })
}

const readContent = async (path: string, root: string | null): Promise<Outcome<FileContent>> => {
  let handle: FileHandle
  try {
    handle = await open(path, readFlags)
  } catch (error) {
    // On Windows, a writer can keep even readers from opening the file.
    if (systemCode(error) === 'EBUSY') return done({ inspection: lockedByWriter, identity: null })
    return failed(fileFailure(error))
  }
  try {
    const stats = await handle.stat({ bigint: true })
    if (!stats.isFile()) return notAFile
    const outside = await whyOutside(handle, path, root)
    if (outside !== null) return unreadable(outside)
    const sizeBytes = Number(stats.size)
    const head = await readAt(handle, 0, headBytes)
    const end = await readAt(handle, Math.max(0, sizeBytes - sampleBytes), sampleBytes)
    const sample = createHash('sha256').update(head).update(end).digest('base64')
    return done({
      inspection: { ...(await checkEnd(handle, path, sizeBytes, root)), sample },
      identity: { ...identityOf(stats), ...((await storesOwners(path)) && { ownerUid: Number(stats.uid) }) },
    })
  } catch (error) {
    return failed(fileFailure(error))
  } finally {
    await handle.close()
  }
}

/**
 * Decodes the encodings that text editors write, and reads any other text as UTF-8. A sidecar file in an unknown
 * encoding must not delay its recording.
 */
export const readTextOf = async (
  path: string,
  maxBytes: number,
  root: string | null,
): Promise<Outcome<string | null>> => {
  let handle: FileHandle
  try {
    handle = await open(path, readFlags)
  } catch (error) {
    const failure = fileFailure(error)
    // Treat an unreadable file as missing, for example a link or a folder.
    const isUnavailable = failure.kind === 'file-vanished' || failure.kind === 'file-unreadable'
    return isUnavailable ? done(null) : failed(failure)
  }
  try {
    if (!(await handle.stat()).isFile() || (await whyOutside(handle, path, root)) !== null) return done(null)
    const bytes = await readAt(handle, 0, maxBytes)
    const decoded = decodeText(bytes)
    return done(decoded.ok ? decoded.text : bytes.toString('utf8'))
  } catch (error) {
    return failed(fileFailure(error))
  } finally {
    await handle.close()
  }
}

const lockedByWriter: FileContent['inspection'] = { format: 'other', complete: 'unknown', sample: '' }

const completenessByEnd: Readonly<Record<EndMark, FileInspection['complete']>> = {
  marked: 'yes',
  'cut-off': 'no',
  unmarked: 'unknown',
}

const checkEnd = async (
  handle: FileHandle,
  path: string,
  sizeBytes: number,
  root: string | null,
): Promise<Pick<FileInspection, 'format' | 'complete'>> => {
  const filesBeside: FileHandle[] = []
  const sourceOf = (opened: FileHandle, name: string, size: number): ByteSource => ({
    name,
    size,
    read: (offset, length) => readAt(opened, offset, length),
    openBeside: async (other) => {
      const file = join(dirname(path), basename(other))
      const beside = await open(file, readFlags).catch(() => null)
      if (beside === null) return null
      filesBeside.push(beside)
      const stats = await beside.stat()
      const isInside = stats.isFile() && (await whyOutside(beside, file, root)) === null
      return isInside ? sourceOf(beside, other, stats.size) : null
    },
  })
  try {
    const limits = { clock: systemClock, timeMs: endCheckTimeoutMs }
    const { format, end } = await findEnd(sourceOf(handle, basename(path), sizeBytes), limits)
    return { format, complete: completenessByEnd[end] }
  } finally {
    for (const beside of filesBeside) await beside.close()
  }
}

const readAt = async (handle: FileHandle, position: number, length: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/** False only if the system reports the file as missing. An error such as "permission denied" does not prove that. */
export const fileExists = async (path: string): Promise<boolean> => {
  try {
    await lstat(path)
    return true
  } catch (error) {
    return fileFailure(error).kind !== 'file-vanished'
  }
}

export const freeBytesOf = async (folder: string): Promise<number | null> => {
  try {
    const { blocks, bavail, bsize } = await statfs(folder)
    // Some network drives do not report their size.
    return blocks === 0 ? null : bavail * bsize
  } catch (error) {
    if (systemCode(error) === null) throw error
    return null
  }
}
