/** What Sluice knows about its own updates. The journal stores these types, so later versions may only add fields. */

export type UpdatePhase = 'available' | 'downloading' | 'waiting' | 'installing'

export type OfferedUpdate = {
  readonly version: string
  readonly since: string
  /** `available`: an administrator or the package manager installs it. `waiting`: Sluice waits for a quiet moment. */
  readonly phase: UpdatePhase
}

export type UpdateResult = {
  readonly version: string
  readonly ok: boolean
  readonly at: string
  /** Why the update failed. Null if it did not. */
  readonly reason: string | null
}

export type UpdateStatus = {
  /** The version that runs. Null if it is unknown. */
  readonly version: string | null
  readonly mode: 'off' | 'notify' | 'automatic'
  readonly channel: string
  /** When Sluice last read a valid feed. Null if it never has. */
  readonly checkedAt: string | null
  /** The newer version that the feed offers to this station. Null if there is none. */
  readonly offered: OfferedUpdate | null
  /** How the last update ended. Null before the first update. */
  readonly lastResult: UpdateResult | null
}
