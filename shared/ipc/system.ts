export type System = 'windows' | 'macos' | 'linux'

/** Takes a value of `process.platform`. Unknown systems follow the conventions of Linux. */
export const systemOf = (platform: string): System => {
  switch (platform) {
    case 'win32':
      return 'windows'
    case 'darwin':
      return 'macos'
    default:
      return 'linux'
  }
}

type Words = {
  /** The name of the place where the status icon is. */
  readonly tray: string
  readonly startAtLogin: string
  readonly startAtLoginLong: string
  /** In a sentence: "Sluice will not start …". */
  readonly atLogin: string
}

/** Each system's own words for the same thing. */
export const systemWords: Readonly<Record<System, Words>> = {
  windows: {
    tray: 'notification area',
    startAtLogin: 'Start at sign-in',
    startAtLoginLong: 'Start Sluice when I sign in',
    atLogin: 'at sign-in',
  },
  macos: {
    tray: 'menu bar',
    startAtLogin: 'Open at login',
    startAtLoginLong: 'Open Sluice at login',
    atLogin: 'at login',
  },
  linux: {
    tray: 'tray',
    startAtLogin: 'Start at login',
    startAtLoginLong: 'Start Sluice when I log in',
    atLogin: 'at login',
  },
}
