import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { HostedAgent } from '../support/hosted-agent.ts'
import { Station, until } from '../support/station.ts'
import { type Bench, type Figure, interleaved, type Missing, timedMs } from './figure.ts'
import { hasRclone, startRclone } from './rclone.ts'

/** Files of 2 kB from their folder to `processed`, settle time included, beside rclone with four transfers. */
const FILES = 1_000
const SETTLE_SECONDS = 0.3
const ROUNDS = 3

const writeFiles = (folder: string, round: number): void => {
  for (let file = 0; file < FILES; file += 1)
    writeFileSync(path.join(folder, `take-${round}-${file}.bin`), `recording ${round} ${file} `.repeat(100))
}

const moveFiles = (from: string, to: string): void => {
  for (const name of readdirSync(from)) renameSync(path.join(from, name), path.join(to, name))
}

export const benchSmallFiles: Bench = async () => {
  const station = await Station.open(['--processing-delay', '0', '--rate-limit', '1000000'])
  station.configure({ folder: { settle_seconds: SETTLE_SECONDS }, rest: { follow: {} } })
  const agent = await HostedAgent.start(station)
  const staged = path.join(station.root, 'staged')
  const rcloned = path.join(station.root, 'rcloned')
  for (const folder of [staged, rcloned]) mkdirSync(folder)
  const rclone = hasRclone() ? await startRclone(rcloned) : null
  let round = 0
  const ours = async (): Promise<number> => {
    round += 1
    writeFiles(staged, round)
    const ms = await timedMs(async () => {
      moveFiles(staged, station.recordings)
      await until('all are processed', () => agent.status?.counts.processed === round * FILES)
    })
    moveFiles(station.recordings, staged)
    return (FILES * 1000) / ms
  }
  const copied = async (): Promise<number> => {
    const ms = await timedMs(() => rclone!.copy(staged))
    rmSync(rcloned, { recursive: true })
    mkdirSync(rcloned)
    return (FILES * 1000) / ms
  }
  const empty = async (): Promise<number> => {
    for (const name of readdirSync(staged)) rmSync(path.join(staged, name))
    return 0
  }
  try {
    const runs = rclone === null ? [ours, empty] : [ours, copied, empty]
    const [a = [], b = []] = await interleaved(ROUNDS, runs)
    const { routes } = await station.stats()
    const requests = Object.values(routes).reduce((sum, count) => sum + count, 0)
    const what = `${FILES.toLocaleString('en')} files of 2 kB to processed`
    const figures: (Figure | Missing)[] = [
      {
        what: `${what}: requests to the service for each`,
        unit: '',
        ours: [requests / (round * FILES)],
        reference: null,
        goal: { kind: 'own', atMost: 4.2 },
      },
    ]
    if (rclone === null) figures.unshift({ what, missing: 'rclone' })
    else
      figures.unshift({
        what,
        unit: 'files/s',
        ours: a,
        reference: { name: 'rclone copy, 4 transfers', values: b },
        goal: { kind: 'times-the-reference', atLeast: 1 },
      })
    return figures
  } finally {
    await rclone?.stop()
    await agent.stop()
    await station.close()
  }
}
