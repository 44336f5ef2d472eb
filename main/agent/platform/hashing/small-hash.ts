import { createHash } from 'node:crypto'
import { done, failed, type Outcome } from '../../domain/failure.ts'
import { FileChangedError, FileUnreadableError } from '../../ports/files.ts'
import type { HashRequest, HashResult } from '../../ports/hashing.ts'
import type { DriveCalls } from '../files/drive-calls.ts'
import { openRecording } from '../files/recording-file.ts'

/** Hashing this much takes less time than starting a thread. */
export const SMALL_FILE_BYTES = 64 * 1024

/** Hashes a small file on the main thread. Its only part has the same digest as the file. */
export const hashSmall = async (
  { path, identity }: HashRequest,
  root: string | null,
  calls: DriveCalls,
): Promise<Outcome<HashResult>> => {
  const opened = await openRecording(path, root, null, calls)
  if (!opened.ok) return opened
  const recording = opened.value
  try {
    const hash = createHash('sha256')
    for await (const chunk of recording.read({ start: 0, length: identity.sizeBytes, identity }))
      hash.update(chunk)
    const sha256 = hash.digest('hex')
    return done({ sha256, partSha256: [sha256] })
  } catch (error) {
    if (error instanceof FileChangedError) return failed({ kind: 'file-changed', detail: error.message })
    if (error instanceof FileUnreadableError) return failed(error.failure)
    throw error
  } finally {
    await recording.close()
  }
}
