import type { Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { FileIdentity } from '../../domain/file-identity.ts'
import {
  FileChangedError,
  type FileOperationResult,
  FileUnreadableError,
  type OpenRecording,
} from '../../ports/files.ts'
import { systemCode } from './file-failure.ts'
import { type HeldEntry, operationFailure, statEntry, unlinkEntry } from './place-file.ts'

export const KEEP_OWNER = -1

const writeAll = async ({ folder }: HeldEntry, to: FileHandle, chunk: Uint8Array): Promise<void> => {
  for (let offset = 0; offset < chunk.length; ) {
    const { bytesWritten } = await folder.run(() => to.write(chunk, offset, chunk.length - offset))
    offset += bytesWritten
  }
}

/**
 * Gives the copy the modification time of the original. Ignores refusals, because Sluice cannot set the time on some
 * shares.
 */
const setTime = async ({ folder }: HeldEntry, to: FileHandle, mtimeNs: string): Promise<void> => {
  const mtimeS = Number(BigInt(mtimeNs) / 1000n) / 1e6
  try {
    await folder.run(() => to.utimes(mtimeS, mtimeS))
  } catch (error) {
    if (systemCode(error) === null) throw error
  }
}

/**
 * Gives the copy the group and mode of the original, so that the same users can read the copy. Ignores refusals: some
 * drives have no groups or modes, and Sluice can set only a group that its own account belongs to.
 */
const setRights = async (
  { folder }: HeldEntry,
  to: FileHandle,
  { gid, mode }: Pick<Stats, 'gid' | 'mode'>,
): Promise<void> => {
  try {
    await folder.run(() => to.chown(KEEP_OWNER, gid))
  } catch (error) {
    if (systemCode(error) === null) throw error
  }
  try {
    await folder.run(() => to.chmod(mode))
  } catch (error) {
    if (systemCode(error) === null) throw error
  }
}

/**
 * Removes an unfinished copy, unless another file has its name now. If the drive hangs, the unfinished copy stays,
 * but the journal still has its name.
 */
const removePartial = async (to: HeldEntry, copy: FileHandle): Promise<void> => {
  try {
    const [entryStats, copyStats] = [
      await statEntry(to),
      await to.folder.run(() => copy.stat({ bigint: true })),
    ]
    if (entryStats.ino === copyStats.ino && entryStats.dev === copyStats.dev) await unlinkEntry(to)
  } catch (error) {
    operationFailure(error)
  }
}

/**
 * Copies the recording to a new file. The caller closes the source. `to.folder` closes the copy, after the last call to
 * the drive has ended.
 */
export const copyInto = async (
  source: OpenRecording,
  to: HeldEntry,
  identity: FileIdentity,
  rights: Pick<Stats, 'gid' | 'mode'>,
  signal: AbortSignal,
): Promise<FileOperationResult> => {
  let target: FileHandle | null = null
  try {
    target = await to.folder.run(
      () => open(to.folder.entry(to.name), 'wx'),
      (lateHandle) => void lateHandle.close().catch(() => {}),
    )
    to.folder.keep(target)
    for await (const chunk of source.read({ start: 0, length: identity.sizeBytes, identity })) {
      if (signal.aborted) throw new FileChangedError('stopped')
      await writeAll(to, target, chunk)
    }
    await setRights(to, target, rights)
    await setTime(to, target, identity.mtimeNs)
    const copy = target
    await to.folder.run(() => copy.sync())
    await to.folder.sync()
    return { kind: 'done' }
  } catch (error) {
    if (target !== null) await removePartial(to, target)
    if (error instanceof FileChangedError) return { kind: 'changed' }
    if (error instanceof FileUnreadableError) return { kind: 'refused', detail: error.message }
    return operationFailure(error)
  }
}
