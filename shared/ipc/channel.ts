import type { CallName, EventName } from './ipc.ts'

const LOCALE = '--sluice-locale='

/** The preload gets the locale as an argument, because the first paint already needs it. */
export const localeArgument = (locale: string): string => `${LOCALE}${locale}`

/** The locale among the arguments of the preload. Empty if there is none. */
export const localeIn = (args: readonly string[]): string =>
  args.find((argument) => argument.startsWith(LOCALE))?.slice(LOCALE.length) ?? ''

/** The hash in the page's address on the first run. The page can read it without a call. */
export const SETUP_HASH = '#setup'

/** The hash in the address of the panel at the tray icon. */
export const PANEL_HASH = '#panel'

/** Marks the page as the panel. The preload then offers only the calls of the panel. */
export const PANEL_ARGUMENT = '--sluice-panel'

/** Not in `ipc.ts`, because the preload must not load the schemas of that file. */
export const channelOf = (name: CallName | EventName): string => `sluice:${name}`
