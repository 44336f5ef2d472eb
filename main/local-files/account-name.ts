import { userInfo } from 'node:os'

/** The name of the account that runs this process, or its number if the account has no name, as in some containers. */
export const accountName = (): string => {
  try {
    return userInfo().username
  } catch {
    return `number ${process.geteuid?.() ?? '?'}`
  }
}
