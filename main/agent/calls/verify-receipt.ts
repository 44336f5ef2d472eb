import { createHash } from 'node:crypto'
import { lstat, open } from 'node:fs/promises'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { ReceiptEntry } from '../../../shared/status/receipt.ts'
import { formatBytes, formatCount } from '../../../shared/words/format.ts'
import { isTrouble } from '../domain/failure.ts'
import { describeCode, systemCode } from '../platform/files/file-failure.ts'
import { readFlags } from '../platform/files/open-file.ts'
import type { RemoteSession, ServiceClient } from '../ports/service.ts'
import { sentenceOf } from './failure-sentence.ts'

/**
 * The result of comparing the disk or the service with a receipt, or the disk with the journal (`verify --all`).
 * `agrees`: they match, or the receipt says that the file was deleted or replaced. `unchecked`: Sluice could not
 * compare them, so nothing is proved. `skipped`: the user did not request this check.
 */
export type VerifyResult =
  | { readonly verdict: 'agrees' | 'differs' | 'unchecked'; readonly what: string; readonly sentence: string }
  | { readonly verdict: 'skipped' }

export type VerifiedEntry = {
  readonly path: string
  readonly session_id: string | null
  readonly disk: VerifyResult
  readonly service: VerifyResult
}

const agrees = (what: string, sentence: string): VerifyResult => ({ verdict: 'agrees', what, sentence })
const differs = (what: string, sentence: string): VerifyResult => ({ verdict: 'differs', what, sentence })
const unchecked = (what: string, sentence: string): VerifyResult => ({ verdict: 'unchecked', what, sentence })

/** Shows exact byte counts if the rounded sizes look the same. */
const describeSizes = (found: number, expected: number): string => {
  const [shown, shownExpected] = [formatBytes(found), formatBytes(expected)]
  return shown === shownExpected
    ? `${formatCount(found)} bytes instead of ${formatCount(expected)}`
    : `${shown} instead of ${shownExpected}`
}

/** Results for the file of a recording, shared by all `verify` commands. */
export const sameContent: VerifyResult = agrees('same', 'Same content.')
export const changingContent: VerifyResult = differs('changed', 'The file is being changed right now.')
export const changedContent: VerifyResult = differs(
  'changed',
  'The file has changed: same size, different SHA-256.',
)
export const changedSize = (found: number, expected: number): VerifyResult =>
  differs('changed', `The file has changed: ${describeSizes(found, expected)}.`)

const noChecksum = unchecked('no-checksum', 'The receipt has no SHA-256 for this file.')

export const missingFile = async (path: string, paths: Paths): Promise<VerifyResult> =>
  (await exists(paths.toOpen(paths.resolve(path, '..'))))
    ? differs('gone', 'The file is gone.')
    : unchecked('folder-missing', 'Its folder cannot be found: is the drive or share connected?')

const CHUNK_BYTES = 1024 * 1024

const readSha256 = async (path: string, onBytes: (bytes: number) => void): Promise<string> => {
  const handle = await open(path, readFlags)
  try {
    const statsBefore = await handle.stat({ bigint: true })
    // It was a regular file a moment ago, so a program is replacing it now.
    if (!statsBefore.isFile()) return 'changing'
    const hash = createHash('sha256')
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null)
      if (bytesRead === 0) break
      hash.update(buffer.subarray(0, bytesRead))
      onBytes(bytesRead)
    }
    const statsAfter = await handle.stat({ bigint: true })
    // If a file changes during the read, its digest may match no version of it.
    return statsAfter.size === statsBefore.size && statsAfter.mtimeNs === statsBefore.mtimeNs
      ? hash.digest('hex')
      : 'changing'
  } finally {
    await handle.close()
  }
}

const exists = async (path: string): Promise<boolean> => {
  try {
    await lstat(path)
    return true
  } catch (error) {
    return systemCode(error) !== 'ENOENT'
  }
}

const removedWords = (removedAt: string): string => `at ${removedAt}, after the service had processed it`

/**
 * Windows sends credentials to a share's host as soon as a program opens a path on it. A forged receipt could
 * name such a path. So Sluice opens a path on a share or device only if it is inside one of this station's folders.
 */
const isForeignShare = (path: string, { paths, folders }: Disk): boolean =>
  (paths.isShare(path) || paths.isDevice(path)) &&
  !folders.some((folder) => paths.same(folder, path) || paths.contains(folder, path))

type Disk = {
  readonly paths: Paths
  /** Watched folders and move targets. */
  readonly folders: readonly string[]
  readonly onBytes: (bytes: number) => void
}

export const checkDisk = async (entry: ReceiptEntry, disk: Disk): Promise<VerifyResult> => {
  const { paths, onBytes } = disk
  if (entry.removed_at !== undefined && entry.moved_to === undefined)
    return agrees('removed', `Sluice deleted it from this PC ${removedWords(entry.removed_at)}.`)
  if (entry.moved_to !== undefined) {
    const { removed_at: _when, moved_to, ...moved } = entry
    return checkDisk({ ...moved, path: moved_to, current: true }, disk)
  }
  if (!entry.current)
    return agrees('replaced', 'The path already had newer content when the receipt was written.')
  if (!paths.isAbsolute(entry.path))
    return unchecked('other-system', 'The path is from a different operating system.')
  if (isForeignShare(entry.path, disk))
    return unchecked(
      'not-a-folder-here',
      'The path is on a share or device outside this station’s folders, so Sluice does not open it.',
    )
  const path = paths.toOpen(entry.path)
  try {
    const stats = await lstat(path)
    if (!stats.isFile()) return differs('changed', 'This path is no longer a regular file.')
    if (entry.sha256 === null) return noChecksum
    if (stats.size !== entry.bytes) return changedSize(stats.size, entry.bytes)
    const sha256 = await readSha256(path, onBytes)
    if (sha256 === 'changing') return changingContent
    return sha256 === entry.sha256 ? sameContent : changedContent
  } catch (error) {
    const code = systemCode(error)
    if (code === null) throw error
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      return unchecked('unreadable', `The file cannot be read: ${describeCode(code)}.`)
    return missingFile(entry.path, paths)
  }
}

/** The service may leave out the checksum or the size (§2.2). If either is missing, the result is never `agrees`. */
const compareSession = (entry: ReceiptEntry, session: RemoteSession): VerifyResult => {
  const { status, sha256, bytes } = session
  if (sha256 !== null && entry.sha256 !== null && sha256.toLowerCase() !== entry.sha256)
    return differs('other-content', 'The session has a different SHA-256.')
  if (bytes !== null && bytes !== entry.bytes)
    return differs('other-content', `The session has ${describeSizes(bytes, entry.bytes)}.`)
  if (status !== 'processed')
    return differs('not-processed', `The service reports “${status}”, not “processed”.`)
  if (entry.sha256 === null) return noChecksum
  if (sha256 === null) return unchecked('content-unshown', 'Processed, but the service shows no SHA-256.')
  if (bytes === null) return unchecked('content-unshown', 'Processed, but the service shows no size.')
  return agrees('processed', 'Processed, same size and SHA-256.')
}

const isAddress = (service: string): boolean => /^https?:\/\//.test(service)

/**
 * `next`: what the caller does after this result. `go-on`: check the next entry. `stop`: send no more requests, because
 * they would fail too. `waitMs`: wait this long and check this entry again (§7).
 */
export type ServiceVerifyResult = {
  readonly result: VerifyResult
  readonly next: 'go-on' | 'stop' | { readonly waitMs: number }
}

/** For a 429 without Retry-After. */
const DEFAULT_WAIT_MS = 1_000

export const checkService = async (
  entry: ReceiptEntry,
  service: Pick<ServiceClient, 'retrieveSession'>,
  address: string,
  signal: AbortSignal,
): Promise<ServiceVerifyResult> => {
  const continueAfter = (result: VerifyResult): ServiceVerifyResult => ({ result, next: 'go-on' })
  const { session_id } = entry
  if (session_id === null)
    return continueAfter(
      differs('never-sent', 'It had no session at the service when the receipt was written.'),
    )
  if (entry.service !== null && isAddress(entry.service) && entry.service !== address)
    return continueAfter(
      unchecked('other-service', `It was sent to ${entry.service}, and the settings name ${address}.`),
    )
  const answer = await service.retrieveSession(session_id, signal)
  if (answer.ok) return continueAfter(compareSession(entry, answer.value.value))
  const { failure } = answer
  if (failure.kind === 'not-found')
    return continueAfter(differs('missing', 'The service no longer has this session.'))
  if (failure.kind === 'other-organisation')
    return continueAfter(
      unchecked('other-organisation', 'The session and the key belong to different organisations.'),
    )
  const result = unchecked('no-answer', sentenceOf(failure))
  if (failure.kind === 'rate-limited')
    return { result, next: { waitMs: failure.retryAfterMs ?? DEFAULT_WAIT_MS } }
  const mustStop = isTrouble(failure) || failure.kind === 'auth' || failure.kind === 'cancelled'
  return { result, next: mustStop ? 'stop' : 'go-on' }
}
