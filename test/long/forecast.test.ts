import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { HostedAgent } from '../support/hosted-agent.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { mountedDisk, needs } from '../support/needs.ts'
import { seeded } from '../support/seeded.ts'
import { PART, Station, until } from '../support/station.ts'

let station: Station
let hosted: HostedAgent
afterEach(() => station.close())

const random = seeded(12)
const pathOf = (name: string) => path.join(station.recordings, name)

test(
  'forecasts the end of the upload from measured speed, and counts the safe bytes on a drive',
  needs(mountedDisk),
  async () => {
    station = await Station.open()
    station.mount(station.recordings, 'size=200m')
    station.configure({ rest: { transfer: { limit_mbit_per_s: 2, parallel_parts: 1 } } })
    await writeRandomFile(pathOf('take.bin'), 4 * PART, random)
    hosted = await HostedAgent.start(station)
    const status = await until('the forecast is known', () =>
      hosted.status?.forecast.kind === 'known' ? hosted.status : undefined,
    )
    // The limit is 0.25 MB/s. Without a limit, an upload to a service on this PC is much faster.
    const { forecast } = status
    if (forecast.kind !== 'known') throw new Error(forecast.kind)
    expect(forecast.bytesPerSecond).toBeLessThanOrEqual(250_000)
    expect(forecast.bytesPerSecond).toBeGreaterThan(50_000)
    expect(forecast.bytes).toBe(status.transfer.bytesLeft)
    expect(status.station.headline).toContain('done about')

    station.configure()
    hosted.configure()
    await hosted.waitForState('take.bin', 'processed')
    const driveSpace = () => hosted.status?.driveSpace[0]
    await until('the safe bytes are counted', () => (driveSpace()?.safeBytes === 4 * PART ? true : undefined))
    expect(driveSpace()).toMatchObject({
      name: station.recordings,
      answering: true,
      fills: { kind: 'unknown' },
    })
    expect(driveSpace()?.space?.totalBytes).toBe(200 * 1_048_576)
    expect(hosted.status?.forecast).toEqual({ kind: 'nothing' })

    rmSync(pathOf('take.bin'))
    await until('deleted bytes are no longer counted', () =>
      (driveSpace()?.safeBytes ?? 0) === 0 ? true : undefined,
    )
    expect(hosted.status?.standings.safe).toBe(1)
  },
)
