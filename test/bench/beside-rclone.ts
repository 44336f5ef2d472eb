import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { HostedAgent } from '../support/hosted-agent.ts'
import { Station } from '../support/station.ts'
import { type Figure, type Missing, measureMs } from './figure.ts'
import { hasRclone, startRclone } from './rclone.ts'

export type BesideRclone = {
  readonly station: Station
  readonly agent: HostedAgent
  /** The folder that holds the files of a round before they are recorded, and while rclone copies them. */
  readonly staged: string
  /**
   * Copies the staged files, removes the copies, and returns the milliseconds of the copy. Null if this PC has no rclone.
   */
  readonly copyStaged: (() => Promise<number>) | null
}

/** Starts a station with its agent, and rclone with its own server. All processes end even if the measurement fails. */
export const besideRclone = async <T>(
  sandboxFlags: readonly string[],
  settings: Parameters<Station['configure']>[0],
  measure: (beside: BesideRclone) => Promise<T>,
): Promise<T> => {
  const station = await Station.open(sandboxFlags)
  const ends: (() => Promise<unknown>)[] = [() => station.close()]
  try {
    station.configure(settings)
    const agent = await HostedAgent.start(station)
    ends.unshift(() => agent.stop())
    const staged = path.join(station.root, 'staged')
    const copied = path.join(station.root, 'rcloned')
    for (const folder of [staged, copied]) mkdirSync(folder)
    const rclone = hasRclone() ? await startRclone(copied) : null
    if (rclone !== null) ends.unshift(() => rclone.stop())
    const copyStaged = async (): Promise<number> => {
      const ms = await measureMs(() => rclone!.copy(staged))
      rmSync(copied, { recursive: true })
      mkdirSync(copied)
      return ms
    }
    return await measure({ station, agent, staged, copyStaged: rclone === null ? null : copyStaged })
  } finally {
    for (const end of ends) await end()
  }
}

/** Our figure next to rclone's figure, or a note that rclone is missing. */
export const rcloneRow = (
  figure: Pick<Figure, 'what' | 'unit' | 'ours' | 'goal'>,
  how: string,
  values: readonly number[] | undefined,
): Figure | Missing =>
  values === undefined
    ? { what: `${figure.what}, beside rclone`, missing: 'rclone' }
    : { ...figure, reference: { name: `rclone copy, ${how}`, values } }
