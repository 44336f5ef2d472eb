import type { BigIntStats } from 'node:fs'
import type { FileIdentity } from '../../domain/file-identity.ts'

export const identityOf = (stats: BigIntStats): FileIdentity => ({
  device: String(stats.dev),
  inode: String(stats.ino),
  sizeBytes: Number(stats.size),
  mtimeNs: String(stats.mtimeNs),
  ctimeNs: String(stats.ctimeNs),
  ...birthOf(stats),
})

/** If the drive does not record a birth time, Node reports 1970 or the ctime instead. */
const birthOf = ({ birthtimeNs, ctimeNs }: BigIntStats): Pick<FileIdentity, 'bornNs'> =>
  birthtimeNs <= 0n || birthtimeNs === ctimeNs ? {} : { bornNs: String(birthtimeNs) }

export const describeChange = (before: FileIdentity, after: FileIdentity): string => {
  if (before.device !== after.device || before.inode !== after.inode) return 'a different file took its place'
  if (after.sizeBytes !== before.sizeBytes)
    return `its size changed from ${before.sizeBytes} to ${after.sizeBytes} bytes`
  if (before.mtimeNs !== after.mtimeNs) return 'it was written to'
  return 'its attributes, name or content changed'
}
