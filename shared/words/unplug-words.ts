import type { DriveSafety, UnplugReason } from '../status/drive-safety.ts'
import { plural } from './format.ts'

/** "CARD-04 safe to unplug", "CARD-04 not safe to unplug". */
export const unplugTitle = ({ name, safeToUnplug }: DriveSafety): string =>
  `${name} ${safeToUnplug ? 'safe' : 'not safe'} to unplug`

const reasonWords: Readonly<Record<UnplugReason, (count: number) => string>> = {
  missing: (count) => plural(count, 'folder not available', 'folders not available'),
  scanning: () => 'still scanning',
  'left-out': (count) => plural(count, 'item left out', 'items left out'),
  'needs-attention': (count) => plural(count, 'needs attention', 'need attention'),
  recording: (count) => `${plural(count, 'recording')} not finished`,
  uploading: (count) => plural(count, 'uploading', 'uploading'),
  waiting: (count) => plural(count, 'waiting', 'waiting'),
  processing: (count) => plural(count, 'being processed', 'being processed'),
  elsewhere: (count) => plural(count, 'at another service', 'at another service'),
}

/** "all 38 files processed", or why the drive is not safe to unplug: "2 uploading · 1 needs attention". */
export const unplugDetail = ({ files, dismissed, reasons }: DriveSafety): string => {
  if (reasons.length > 0) return reasons.map(({ kind, count }) => reasonWords[kind](count)).join(' · ')
  const dismissedText = dismissed === 0 ? '' : ` · ${plural(dismissed, 'dismissed', 'dismissed')}`
  if (files === null || files === 0) return `no files to upload${dismissedText}`
  if (dismissed > 0) return `everything else processed${dismissedText}`
  return files === 1 ? 'the only file is processed' : `all ${plural(files, 'file')} processed`
}
