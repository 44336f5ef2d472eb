/** What Sluice knows about its own updates. The journal stores it, so later versions may only add fields. */

export type UpdatePhase = 'available' | 'downloading' | 'waiting' | 'installing'

export type OfferedUpdate = {
  readonly version: string
  readonly since: string
  /** `available`: an administrator or the package manager installs it. `waiting`: it waits for a quiet moment. */
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
  /** When Sluice last read a valid feed. Null without a feed. */
  readonly checkedAt: string | null
  /** The newer version that the feed offers to this station. */
  readonly offered: OfferedUpdate | null
  /** How the last update ended. */
  readonly lastResult: UpdateResult | null
}
