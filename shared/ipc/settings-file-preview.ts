import type { DraftSettings } from '../settings/settings.ts'

/** The content of a settings file before it is applied, without its secrets. */
export type SettingsFilePreview =
  | {
      readonly kind: 'readable'
      readonly name: string
      readonly settings: DraftSettings
      /** True if the file contains a key. Sluice ignores it, and the page reports this. */
      readonly holdsKey: boolean
      /** True if the file contains a monitoring token or URL. Sluice ignores it, and the page reports this. */
      readonly holdsMonitoringSecrets: boolean
      /**
       * True if the proxy's address in the file contains a user name or password. Sluice ignores these, and the page
       * reports this.
       */
      readonly holdsProxyCredentials: boolean
    }
  | {
      readonly kind: 'refused'
      readonly name: string
      readonly faults: readonly { readonly line: number | null; readonly sentence: string }[]
    }
