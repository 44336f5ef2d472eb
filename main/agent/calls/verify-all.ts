import type { Paths } from '../../../shared/paths/paths.ts'
import type { Failure } from '../domain/failure.ts'
import { sameFile } from '../domain/file-identity.ts'
import type { LocalCopy } from '../journal/journal.ts'
import type { Platform } from '../platform/platform.ts'
import { sentenceOf } from './failure-sentence.ts'
import {
  changedContent,
  changedSize,
  changingContent,
  missingFile,
  sameContent,
  type VerifyResult,
} from './verify-receipt.ts'

/**
 * Hard case: A program edits the file of a processed recording and restores the old timestamps.
 * Only `sluice verify --all` and the check before a removal read the file again. If the SHA-256 differs, the new
 * content becomes a new recording with its own session. The old session stays.
 */

export type VerifiedCopy = {
  readonly path: string
  readonly session_id: string | null
  /** The uploaded content. */
  readonly sha256: string
  readonly disk: VerifyResult
}

type Needs = {
  readonly platform: Pick<Platform, 'files' | 'hashing'>
  readonly paths: Paths
  readonly signal: AbortSignal
  /** The file as the journal knows it now. Null if newer content has replaced it, or Sluice has deleted it. */
  readonly currentCopy: (id: number) => LocalCopy | null
  readonly onBytes: (bytes: number) => void
}

/** Null if the user cancelled the check. */
const resultOfFailure = (
  failure: Failure,
  path: string,
  paths: Paths,
): Promise<VerifyResult> | VerifyResult | null => {
  switch (failure.kind) {
    case 'cancelled':
      return null
    case 'file-vanished':
      return missingFile(path, paths)
    case 'file-changed':
      return changingContent
    default:
      return { verdict: 'unchecked', what: 'unreadable', sentence: sentenceOf(failure) }
  }
}

const readCopy = async (copy: LocalCopy, needs: Needs): Promise<VerifyResult | null> => {
  const { platform, paths, signal, onBytes } = needs
  const identified = await platform.files.identify(copy.path)
  if (!identified.ok) return resultOfFailure(identified.failure, copy.path, paths)
  const identity = identified.value
  if (identity.sizeBytes !== copy.bytes) return changedSize(identity.sizeBytes, copy.bytes)
  let reportedBytes = 0
  const hashOutcome = await platform.hashing.hash({
    path: copy.path,
    identity,
    // One part, because only the digest of the whole file is compared.
    partSizeBytes: Math.max(1, copy.bytes),
    onProgress: (bytes) => {
      onBytes(bytes - reportedBytes)
      reportedBytes = bytes
    },
    signal,
  })
  if (!hashOutcome.ok) return resultOfFailure(hashOutcome.failure, copy.path, paths)
  if (hashOutcome.value.sha256 === copy.sha256) return sameContent
  const identifiedAgain = await platform.files.identify(copy.path)
  return identifiedAgain.ok && sameFile(identifiedAgain.value, identity) ? changedContent : changingContent
}

/**
 * Reads the file of every processed recording again and compares it with the journal. Size and timestamps are not
 * enough: a program can edit a file and restore its old timestamps. Slows down while a recorder is writing. If the user
 * cancels, returns the results so far.
 */
export const verifyCopies = async (copies: readonly LocalCopy[], needs: Needs): Promise<VerifiedCopy[]> => {
  const results: VerifiedCopy[] = []
  for (const copy of copies) {
    if (needs.signal.aborted) break
    const result = await readCopy(copy, needs)
    if (result === null) break
    // Meanwhile, Sluice may have moved or deleted the file, or found its newer content. Leave such a file out.
    const current = result.verdict === 'differs' ? needs.currentCopy(copy.id) : copy
    if (current === null || !needs.paths.same(current.path, copy.path)) continue
    results.push({ path: copy.path, session_id: copy.sessionId, sha256: copy.sha256, disk: result })
  }
  return results
}
