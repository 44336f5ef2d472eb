import type { Standing } from './standing.ts'

/** One night, from 18:00 to 18:00 on this PC's clock. */
export type NightFigures = {
  /** The day on which the night began: "2026-03-11". */
  readonly name: string
  readonly since: string
  readonly until: string
  readonly recorded: number
  readonly bytes: number
  /** The counts add up to `recorded`. */
  readonly standings: Readonly<Record<Standing, number>>
  /**
   * True if Sluice watched the folder at some time of the night. For the station, one watched folder is enough. False,
   * for example, if the PC was off or the folder was missing.
   */
  readonly watched: boolean
  /** How many folders Sluice reported as silent, without those whose silence a user dismissed. */
  readonly silentFolders: number
}

/** Oldest first. The last one is the current night. */
export type Nights = {
  readonly station: readonly NightFigures[]
  readonly folders: readonly { readonly path: string; readonly nights: readonly NightFigures[] }[]
}
