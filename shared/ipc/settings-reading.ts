import type { DraftSettings } from '../settings/settings.ts'

/** What a file with settings holds, before anything of it is used. No key is in it, whatever the file has. */
export type SettingsReading =
  | {
      readonly kind: 'readable'
      readonly name: string
      readonly settings: DraftSettings
      /** A key was in the file: it is not taken, and the page is told that it was there. */
      readonly holdsKey: boolean
      /** The same of a token or a URL of monitoring. */
      readonly holdsMonitoring: boolean
    }
  | {
      readonly kind: 'refused'
      readonly name: string
      readonly faults: readonly { readonly line: number | null; readonly sentence: string }[]
    }
