import type { FeedIndex, Release, ThisProgram } from '../domain/update-rules.ts'

/**
 * Why Sluice does not use a feed or one of its files. `refused`: the feed or file is not acceptable. `unreachable`:
 * Sluice could not read the feed or file, but a retry may succeed.
 */
export type FeedTrouble = {
  readonly ok: false
  readonly kind: 'refused' | 'unreachable'
  /**
   * The end of a sentence that begins with "The update feed". Contains the host but not the whole URL, because the URL
   * may contain a token.
   */
  readonly reason: string
}

export type FeedRead = { readonly ok: true; readonly index: FeedIndex; readonly bytes: Buffer } | FeedTrouble

/** A signed index and the installer that it lists, in a folder that only the account of the agent may change. */
export type StagedUpdate = { readonly indexFile: string; readonly installer: string }

export type FileFetch = { readonly ok: true; readonly file: string } | FeedTrouble

/** Reads a feed over HTTP. `keys` are the public keys that may sign it. */
export type UpdateSource = {
  readonly readIndex: (feed: string, keys: readonly string[], signal: AbortSignal) => Promise<FeedRead>
  /**
   * Downloads the file of a release into the folder, under a temporary name. Gives the file its final name only if its
   * size and SHA-256 match the release.
   */
  readonly fetchFile: (
    feed: string,
    release: Release,
    folder: string,
    signal: AbortSignal,
  ) => Promise<FileFetch>
}

/** Starts the installer of a staged update. The installer ends this program and starts the new version. */
export type UpdateInstaller = {
  /** False if an administrator must first register the task that runs the installer. */
  readonly isRegistered: () => Promise<boolean>
  readonly start: (staged: StagedUpdate) => Promise<void>
}

/** The dependencies that only the updater uses. */
export type UpdateWorld = {
  /** Null if the version of this program is unknown. Then the updater does nothing. */
  readonly program: ThisProgram | null
  readonly source: UpdateSource
  /** Null if this program cannot install updates. Then the updater only reports new versions. */
  readonly installer: UpdateInstaller | null
  /** The keys that may sign the feed: those in the app, or the one in the managed settings. */
  readonly keys: () => readonly string[]
  /** Where the updater stores downloads. */
  readonly folder: string
  readonly partsInFlight: () => number
}
