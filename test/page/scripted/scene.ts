import type { SettingsInput } from '../../../shared/settings/settings.ts'
import { HALL, TRACK } from './folders.ts'

/** The states in which a test or a screenshot can show the scripted station. */
export const scenes = [
  'busy',
  'calm',
  'dismissed',
  'silent',
  'paused',
  'offline',
  'conditions',
  'keyless',
  'many',
  'refused',
  'empty',
  'first-run',
  'damaged',
  /** The disk will be full, and the upload hours end before the uploads do. */
  'short-of-space',
] as const
export type Scene = (typeof scenes)[number]

export type SceneOptions = {
  readonly scene: Scene
  /** True if the uploads make progress. False for screenshots. */
  readonly moving: boolean
  /** True if this PC has no keychain. */
  readonly unprotected?: boolean
  /** True if the desktop shows no tray icons. */
  readonly noTray?: boolean
  /** True if the settings file is unusable. */
  readonly damaged?: boolean
  /** The view that the page saved before it was unloaded. */
  readonly view?: string
  /** The user's locale. Default: en-GB. */
  readonly locale?: string
}

/** The settings of every scripted station except in the first run. */
export const initialSettings: SettingsInput = {
  service: { base_url: 'https://api.example.com' },
  folders: [HALL, TRACK],
  transfer: {
    limit_mbit_per_s: 400,
    // The upload hours cover the whole day, so that the time does not matter. `short-of-space` replaces them.
    windows: [
      { from: '18:00', to: '07:00' },
      { from: '07:00', to: '18:00', limit_mbit_per_s: 250 },
    ],
  },
  app: { quiet_hours: { from: '22:00', to: '07:00' } },
}
