import type { DraftSettings } from '../settings/settings.ts'

/** The content of a settings file before it is applied, without its secrets. */
export type SettingsFilePreview =
  | {
      readonly kind: 'readable'
      readonly name: string
      readonly settings: DraftSettings
      /** True if the file contains a key, which Sluice ignores. */
      readonly holdsKey: boolean
      /** True if the file contains a monitoring token or URL, which Sluice ignores. */
      readonly holdsMonitoringSecrets: boolean
      /** True if the proxy's address contains a user name or password, which Sluice ignores. */
      readonly holdsProxyCredentials: boolean
    }
  | {
      readonly kind: 'refused'
      readonly name: string
      readonly faults: readonly { readonly line: number | null; readonly sentence: string }[]
    }
