import type { CallName, EventName } from './ipc.ts'

const LOCALE = '--sluice-locale='

/** Given to the preload rather than asked for: the first paint is written in it already. */
export const localeArgument = (locale: string): string => `${LOCALE}${locale}`

/** Empty where none was given. */
export const localeIn = (args: readonly string[]): string =>
  args.find((argument) => argument.startsWith(LOCALE))?.slice(LOCALE.length) ?? ''

/** Behind the page's address where it opens on its first run; it reads that at once then. */
export const ON_SETUP = '#setup'

/** Apart from the schemas: the preload runs before every page, and needs names only. */
export const channelOf = (name: CallName | EventName): string => `sluice:${name}`
