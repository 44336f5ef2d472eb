import { readFileSync } from 'node:fs'
import path from 'node:path'

/** The version file of a package. It is beside the archive of the app. */
const FILE = 'version'

/**
 * Hard case: A package manager replaces the program while it runs.
 * The old program continues to run from its deleted files. Sluice reads the version file once a minute, reports that a
 * restart is due, and restarts when nothing is recorded or uploaded.
 */

/** Notices that a package manager has installed a different version while this one runs. */
export class InstalledVersion {
  readonly #read: () => string | null
  readonly #atStart: string | null

  constructor(read: () => string | null = readVersionFile) {
    this.#read = read
    this.#atStart = read()
  }

  /**
   * The version that a restart would start, or null if the version file has not changed since the start of this
   * process. This does not compare with the running version, so a file with a wrong version never causes a second
   * restart. A file that is missing during an update counts as unchanged.
   */
  get replacement(): string | null {
    if (this.#atStart === null) return null
    const now = this.#read()
    return now === this.#atStart ? null : now
  }
}

/** Null for a program that runs from its source, because only packages have this file. */
const readVersionFile = (): string | null => {
  const { resourcesPath } = process as { readonly resourcesPath?: string }
  if (resourcesPath === undefined) return null
  try {
    return readFileSync(path.join(resourcesPath, FILE), 'utf8').trim() || null
  } catch {
    return null
  }
}
