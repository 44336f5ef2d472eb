import { describeCode, systemCode } from '../files/file-failure.ts'
import { isStorm } from './event-storm.ts'

const scanHint = 'Meanwhile, the regular scan still finds new files, but later.'

const limits: Partial<Record<NodeJS.Platform, Readonly<Record<'ENOSPC' | 'EMFILE', string>>>> = {
  linux: {
    ENOSPC: "The system's limit of watched folders is reached (ENOSPC). Raise fs.inotify.max_user_watches.",
    EMFILE:
      'Too many files or watchers are open (EMFILE). Raise fs.inotify.max_user_instances and the limit of open files.',
  },
  darwin: {
    ENOSPC:
      "The system's limit of watched folders is reached (ENOSPC). Watch fewer folders, or restart this Mac.",
    EMFILE:
      'Too many files or watchers are open (EMFILE). Raise the limit of open files (launchctl limit maxfiles).',
  },
  win32: {
    ENOSPC: 'Windows has no memory left to report changes (ENOSPC). Close programs that watch many folders.',
    EMFILE: 'Too many files or watchers are open (EMFILE). Close programs that hold many files open.',
  },
}

/** Describes the error and how to fix it, for the technician. */
export const describeWatchError = (error: unknown, platform: NodeJS.Platform = process.platform): string => {
  const code = systemCode(error)
  if (isStorm(code))
    return `A program changes files or folders here many thousands of times per second. Stop that program. ${scanHint}`
  switch (code) {
    case 'ENOSPC':
    case 'EMFILE':
      return `${limits[platform]?.[code] ?? `The system's limit of watched folders is reached (${code}).`} ${scanHint}`
    case 'EPERM':
    case 'EACCES':
      return platform === 'win32'
        ? `Windows does not let Sluice watch a folder (${code}), or the folder has just been removed. Give this account the right to read it. ${scanHint}`
        : `The system does not let Sluice watch a folder (${code}). Give this user permission to read it. ${scanHint}`
    default:
      return `Watching failed: ${code === null ? String(error) : describeCode(code)}. ${scanHint}`
  }
}
