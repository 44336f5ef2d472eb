import type { DriveSpace } from '../status/free-space.ts'
import { formatBytes, formatClock, plural } from './format.ts'

/** The texts about a drive's free space, for window and terminal. */

export const freeWords = ({ space, answering }: DriveSpace): string => {
  if (space === null) return answering ? 'Checking…' : 'Not responding'
  return `${formatBytes(space.freeBytes)} free${answering ? '' : ', not responding'}`
}

const fillsWords = ({ fills }: DriveSpace): string => {
  switch (fills.kind) {
    case 'unknown':
      return 'Forecast available after two nights.'
    case 'never':
      return 'Usually nothing is recorded here.'
    case 'tonight':
      return `Full about ${formatClock(fills.at)} if nothing is deleted.`
    case 'nights':
      return `Full in about ${plural(fills.nights, 'night')} if nothing is deleted.`
    case 'long':
      return 'Enough for more than 60 nights.'
  }
}

/** For the headline, if the drive is low: "D:\ will be full about 02:40". */
export const lowSentence = (drive: DriveSpace): string =>
  drive.fills.kind === 'tonight'
    ? `${drive.name} will be full about ${formatClock(drive.fills.at)}`
    : `${drive.name} is almost full`

/** Empty if unknown. */
export const safeWords = ({ safeBytes }: DriveSpace): string => {
  if (safeBytes === null) return ''
  return safeBytes === 0
    ? 'Nothing to free up yet.'
    : `${formatBytes(safeBytes)} is safe at the service and can be freed up.`
}

export const freeSpaceSentences = (drive: DriveSpace): string =>
  drive.space === null
    ? 'The drive or share does not respond. Sluice retries every minute.'
    : `${fillsWords(drive)} ${safeWords(drive)}`.trim()

/** For a missing folder, whose drive is unknown. */
export const missingFolderSentence = 'Free space unknown while the folder is missing.'

/** Name, free space and forecast on one line, for a terminal. */
export const freeSpaceLine = (drive: DriveSpace): string =>
  `${drive.name}: ${freeWords(drive)}. ${freeSpaceSentences(drive)}`
