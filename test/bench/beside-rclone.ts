import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { HostedAgent } from '../support/hosted-agent.ts'
import { Station } from '../support/station.ts'
import { type Figure, type Missing, measureMs } from './figure.ts'
import { hasRclone, startRclone } from './rclone.ts'

export type RcloneComparison = {
  readonly station: Station
  readonly agent: HostedAgent
  /** The folder with the files of a round. rclone copies them, and the bench moves them into the watched folder. */
  readonly stagingFolder: string
  /** Copies the staged files, removes the copies, and returns the copying time. Null if rclone is not installed. */
  readonly copyMs: (() => Promise<number>) | null
}

/** Runs `measure` with a station, its agent and, if rclone is installed, rclone's server. */
export const withStationAndRclone = async <T>(
  sandboxFlags: readonly string[],
  settings: Parameters<Station['configure']>[0],
  measure: (beside: RcloneComparison) => Promise<T>,
): Promise<T> => {
  const station = await Station.open(sandboxFlags)
  const ends: (() => Promise<unknown>)[] = [() => station.close()]
  try {
    station.configure(settings)
    const agent = await HostedAgent.start(station)
    ends.unshift(() => agent.stop())
    const stagingFolder = path.join(station.root, 'staged')
    const copyFolder = path.join(station.root, 'rcloned')
    for (const folder of [stagingFolder, copyFolder]) mkdirSync(folder)
    const rclone = hasRclone() ? await startRclone(copyFolder) : null
    if (rclone !== null) ends.unshift(() => rclone.stop())
    const copyMs = async (): Promise<number> => {
      const ms = await measureMs(() => rclone!.copy(stagingFolder))
      rmSync(copyFolder, { recursive: true })
      mkdirSync(copyFolder)
      return ms
    }
    return await measure({ station, agent, stagingFolder, copyMs: rclone === null ? null : copyMs })
  } finally {
    for (const end of ends) await end()
  }
}

/** Our figure beside rclone's figure, or a note that rclone is missing. */
export const rcloneRow = (
  figure: Pick<Figure, 'what' | 'unit' | 'ours' | 'goal'>,
  rcloneOptions: string,
  values: readonly number[] | undefined,
): Figure | Missing =>
  values === undefined
    ? { what: `${figure.what}, beside rclone`, missing: 'rclone' }
    : { ...figure, reference: { name: `rclone copy, ${rcloneOptions}`, values } }
