import { userInfo } from 'node:os'

/** The name of the account that runs this process. A container may have no name for it. */
export const accountName = (): string => {
  try {
    return userInfo().username
  } catch {
    return `number ${process.geteuid?.() ?? '?'}`
  }
}
