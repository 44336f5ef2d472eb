import type { SettingsInput } from '../../../shared/settings.ts'
import { HALL, TRACK } from './folders.ts'

/** What the scripted station is going through. */
export const scenes = [
  'busy',
  'calm',
  'seen',
  'silent',
  'paused',
  'offline',
  'conditions',
  'many',
  'refused',
  'empty',
  'first-run',
  'damaged',
  'short',
] as const
export type Scene = (typeof scenes)[number]

export type SceneOptions = {
  readonly scene: Scene
  /** Progress moves on; off for pictures. */
  readonly moving: boolean
  /** No keychain on this PC. */
  readonly unprotected?: boolean
  /** The settings file could not be used. */
  readonly damaged?: boolean
  /** What the page before this one left. */
  readonly view?: string
  /** How the person writes dates; as in most tests unless said. */
  readonly locale?: string
}

/** The settings that every scripted station starts with, except for the first run. */
export const setUp: SettingsInput = {
  service: { base_url: 'https://api.example.com' },
  folders: [HALL, TRACK],
  transfer: {
    limit_mbit_per_s: 400,
    // Open at every hour, so that no scene depends on when it is looked at.
    windows: [
      { from: '18:00', to: '07:00' },
      { from: '07:00', to: '18:00', limit_mbit_per_s: 250 },
    ],
  },
  app: { quiet_hours: { from: '22:00', to: '07:00' } },
}
