import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { until } from '../support/station.ts'
import { rcloneRow, withStationAndRclone } from './beside-rclone.ts'
import { type Bench, measureMs, runInterleaved } from './figure.ts'
import { processorSecondsOf } from './processor-time.ts'

const SETTLE_SECONDS = 0.3

const writeFiles = (folder: string, round: number, files: number): void => {
  for (let file = 0; file < files; file += 1)
    writeFileSync(path.join(folder, `take-${round}-${file}.bin`), `recording ${round} ${file} `.repeat(100))
}

const moveFiles = (from: string, to: string): void => {
  for (const name of readdirSync(from)) renameSync(path.join(from, name), path.join(to, name))
}

/**
 * Measures how many files of 2 kB reach `processed` per second, including the settle time. The reference is rclone with
 * four transfers.
 */
export const benchSmallFiles: Bench = ({ smallFiles: files, longRounds }) =>
  withStationAndRclone(
    ['--processing-delay', '0', '--rate-limit', '1000000'],
    { folder: { settle_seconds: SETTLE_SECONDS }, rest: { follow: {} } },
    async ({ station, agent, stagingFolder, copyMs }) => {
      const processorSecondsPer1000Files = { agent: [] as number[], service: [] as number[] }
      let round = 0
      const uploadWithAgent = async (): Promise<number> => {
        round += 1
        writeFiles(stagingFolder, round, files)
        const processorSeconds = () => [agent.child.pid, station.sandbox.pid].map(secondsOf)
        const [agentBefore = 0, serviceBefore = 0] = processorSeconds()
        const ms = await measureMs(async () => {
          moveFiles(stagingFolder, station.recordings)
          await until('all files are processed', () => agent.status?.counts.processed === round * files)
        })
        const [agentAfter = 0, serviceAfter = 0] = processorSeconds()
        processorSecondsPer1000Files.agent.push(((agentAfter - agentBefore) * 1000) / files)
        processorSecondsPer1000Files.service.push(((serviceAfter - serviceBefore) * 1000) / files)
        moveFiles(station.recordings, stagingFolder)
        return (files * 1000) / ms
      }
      const copyWithRclone = async (): Promise<number> => (files * 1000) / (await copyMs!())
      const removeStagedFiles = async (): Promise<number> => {
        for (const name of readdirSync(stagingFolder)) rmSync(path.join(stagingFolder, name))
        return 0
      }
      const runs =
        copyMs === null
          ? [uploadWithAgent, removeStagedFiles]
          : [uploadWithAgent, copyWithRclone, removeStagedFiles]
      const [agentRates = [], rcloneRates = []] = await runInterleaved(longRounds, runs)
      const { routes } = await station.stats()
      const requests = Object.values(routes).reduce((sum, count) => sum + count, 0)
      const what = `${files.toLocaleString('en')} files of 2 kB to processed`
      return [
        rcloneRow(
          { what, unit: 'files/s', ours: agentRates, goal: { kind: 'times-the-reference', atLeast: 1 } },
          '4 transfers',
          copyMs === null ? undefined : rcloneRates,
        ),
        { what, unit: 'files/s', ours: agentRates, reference: null, goal: { kind: 'own', atLeast: 100 } },
        {
          what: `${what}: requests to the service per file`,
          unit: '',
          ours: [requests / (round * files)],
          reference: null,
          goal: { kind: 'own', atMost: 4.2 },
        },
        {
          what: `${what}: processor time of the agent per 1,000 files`,
          unit: 's',
          ours: processorSecondsPer1000Files.agent.slice(1),
          reference: { name: 'the sandbox', values: processorSecondsPer1000Files.service.slice(1) },
          goal: { kind: 'none' },
        },
      ]
    },
  )

/** `processorSecondsOf` reads `/proc`, which only Linux has. */
const secondsOf = (pid: number | undefined): number =>
  process.platform === 'linux' && pid !== undefined ? processorSecondsOf(pid) : Number.NaN
