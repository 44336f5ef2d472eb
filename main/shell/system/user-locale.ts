import { DEFAULT_LOCALE, localeFromEnvironment } from '../../../shared/words/locale-format.ts'

type App = { readonly getSystemLocale: () => string }

/**
 * The locale of dates, times and numbers. Windows and macOS have a locale of the region, which may differ from the
 * language. Linux has LC_TIME, which Electron does not read.
 */
export const userLocale = (
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  app: App,
): string =>
  platform === 'linux'
    ? localeFromEnvironment(env, () => DEFAULT_LOCALE)
    : app.getSystemLocale() || DEFAULT_LOCALE
