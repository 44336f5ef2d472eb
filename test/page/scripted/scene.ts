/** What the scripted station is going through. */
export const scenes = [
  'busy',
  'calm',
  'paused',
  'offline',
  'conditions',
  'many',
  'refused',
  'empty',
  'first-run',
  'damaged',
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
}
