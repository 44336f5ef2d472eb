import { formatBytes, formatClock, plural } from './format.ts'
import type { DriveRoom } from './room.ts'

/** What window and terminal say of a drive. */

export const freeWords = ({ space, answering }: DriveRoom): string => {
  if (space === null) return answering ? 'Not asked yet' : 'Not answering'
  return `${formatBytes(space.freeBytes)} free${answering ? '' : ', not answering'}`
}

const fillsWords = ({ fills }: DriveRoom): string => {
  switch (fills.kind) {
    case 'unknown':
      return 'How fast it fills is known after two nights.'
    case 'never':
      return 'Nothing is usually recorded on it.'
    case 'tonight':
      return `Full about ${formatClock(fills.at)}, if nothing is deleted.`
    case 'nights':
      return `Full in about ${plural(fills.nights, 'night')}, if nothing is deleted.`
    case 'long':
      return 'Room for more than 60 nights.'
  }
}

/** For the headline, where it cannot wait: "D:\ will be full about 02:40." */
export const lowSentence = (room: DriveRoom): string =>
  room.fills.kind === 'tonight'
    ? `${room.name} will be full about ${formatClock(room.fills.at)}.`
    : `${room.name} is almost full: ${freeWords(room)}.`

const safeWords = ({ safeBytes }: DriveRoom): string => {
  if (safeBytes === null) return ''
  return safeBytes === 0
    ? 'Nothing on it is safe at the service yet.'
    : `${formatBytes(safeBytes)} on it is safe at the service.`
}

export const roomSentences = (room: DriveRoom): string =>
  room.space === null
    ? 'The drive or share does not answer; Sluice asks again every minute.'
    : `${fillsWords(room)} ${safeWords(room)}`.trim()

/** Of a folder that is not there, and its drive with it. */
export const missingRoomSentence = 'What is free is told once the folder is there again.'

/** All of it on one line, for a terminal. */
export const roomLine = (room: DriveRoom): string =>
  `${room.name}: ${freeWords(room)}. ${roomSentences(room)}`
