import type { FileIdentity } from '../../domain/file-identity.ts'
import type { FileInspection, WriterCheck } from '../../ports/files.ts'
import type { WriterSnapshot } from './proc-writers.ts'

/** `ownerUid` is the user who owns the file; absent if the system or the drive does not store owners. */
export type OwnedFile = Pick<FileIdentity, 'device' | 'inode'> & { readonly ownerUid?: number }

export type OpenWriters = {
  /** Whether another process has this file open for writing. `unseen` if the system does not reveal this. */
  readonly writerOf: (
    path: string,
    identity: OwnedFile,
    check?: WriterCheck,
  ) => Promise<FileInspection['writer']>
  /** All files that other processes have open for writing; null if the system has no such list. */
  readonly list: (() => Promise<WriterSnapshot>) | null
}
