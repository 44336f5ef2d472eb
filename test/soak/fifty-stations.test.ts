import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { writePage } from '../evaluation/page.ts'
import { describeFleet } from '../support/fleet/fleet-figures.ts'
import { FleetStation } from '../support/fleet/fleet-station.ts'
import { SandboxProcess } from '../support/sandbox-process.ts'
import { seeded } from '../support/seeded.ts'
import { PART, type ServiceStats, sha256OfFile, until } from '../support/station.ts'

const STATIONS = 50
const FULL_MINUTES = 10
const minutes = Number(process.env.SLUICE_FIFTY_MINUTES ?? FULL_MINUTES)
/** The average time between two recordings of a station. */
const RECORDING_INTERVAL_MS = 30_000
const POLL_INTERVAL_MS = 1_000
const MEASURE_INTERVAL_MS = 10_000

let root = ''
let sandbox: SandboxProcess
const stations: FleetStation[] = []
afterEach(async () => {
  await Promise.all(stations.map((station) => station.close()))
  await sandbox.stop()
  rmSync(root, { recursive: true, force: true })
})

type ListedSession = { readonly id: string; readonly filename: string; readonly status: string }

const sessionsOf = async (site: string): Promise<readonly ListedSession[]> => {
  const answer = await sandbox.api(`/v1/sessions?site=${site}&limit=500`)
  const page = (await answer.json()) as {
    readonly data: readonly ListedSession[]
    readonly has_more: boolean
  }
  if (page.has_more) throw new Error(`${site} has more sessions than one page`)
  return page.data
}

/** Each recording must have one processed session with the bytes of its file. Returns one line for each violation. */
const violationsOf = async ({ site, writtenFiles }: FleetStation): Promise<string[]> => {
  const sessions = await sessionsOf(site)
  const violations =
    sessions.length === writtenFiles.length
      ? []
      : [`${site}: ${sessions.length} sessions for ${writtenFiles.length} recordings`]
  for (const file of writtenFiles) {
    const sessionsWithName = sessions.filter(({ filename }) => filename === path.basename(file))
    const [session] = sessionsWithName
    if (session === undefined || sessionsWithName.length !== 1 || session.status !== 'processed')
      violations.push(
        `${file}: ${sessionsWithName.map(({ status }) => status).join(' and ') || 'no session'}`,
      )
    else {
      const { sha256 } = (await sandbox.control('GET', `/objects/${session.id}`)) as { sha256: string }
      if (sha256 !== (await sha256OfFile(file))) violations.push(`${file}: different bytes at the service`)
    }
  }
  return violations
}

test(`${STATIONS} agents on one PC use one service for ${minutes} minutes and lose nothing`, async () => {
  root = mkdtempSync(path.join(tmpdir(), 'sluice-fifty-'))
  sandbox = await SandboxProcess.start(path.join(root, 'service'))
  // The agents start one after the other, because two cores would need a minute to start all at once.
  for (let number = 1; number <= STATIONS; number += 1) {
    const station = await FleetStation.open(root, sandbox, number)
    stations.push(station)
    await until(`${station.site} has its journal`, () => station.recordings())
  }

  const random = seeded(50)
  const startedAtMs = performance.now()
  const endsAtMs = startedAtMs + minutes * 60_000
  const nextRecordingAtMs = stations.map(() => startedAtMs + random() * RECORDING_INTERVAL_MS)
  const killedStations = new Set<FleetStation>()
  let measureAtMs = startedAtMs
  while (performance.now() < endsAtMs) {
    const now = performance.now()
    for (const [index, station] of stations.entries()) {
      if (now < (nextRecordingAtMs[index] ?? 0)) continue
      nextRecordingAtMs[index] = now + RECORDING_INTERVAL_MS * (0.5 + random())
      // One recording in ten has two parts.
      station.record(random() < 0.1 ? PART + 50_000 : 20_000 + Math.floor(random() * 400_000))
    }
    // In the second half, the test kills one agent in ten and starts it again.
    if (now > (startedAtMs + endsAtMs) / 2 && killedStations.size < STATIONS / 10) {
      const victim = stations[killedStations.size * 10]
      if (victim !== undefined) {
        killedStations.add(victim)
        await victim.killAndStart()
      }
    }
    if (now >= measureAtMs) {
      measureAtMs = now + MEASURE_INTERVAL_MS
      for (const station of stations) station.measurePssBytes()
    }
    await sleep(POLL_INTERVAL_MS)
  }

  const isDone = (station: FleetStation) => {
    const recordings = station.recordings()
    return (
      recordings?.length === station.writtenFiles.length &&
      recordings.every(({ state }) => state === 'processed')
    )
  }
  for (const station of stations)
    await until(
      `${station.site} is done`,
      async () => isDone(station) || (await sleep(POLL_INTERVAL_MS)),
      600_000,
    )

  const processedMinutes = (performance.now() - startedAtMs) / 60_000
  const violations = (await Promise.all(stations.map(violationsOf))).flat()
  const figures = describeFleet({
    recordedMinutes: minutes,
    processedMinutes,
    stations,
    killed: killedStations.size,
    stats: (await sandbox.control('GET', '/stats')) as ServiceStats,
  })
  const exitMessages = await Promise.all(stations.map((station) => station.end()))
  console.log(figures)
  expect([...violations, ...exitMessages.filter((message) => message !== '')]).toEqual([])
  if (minutes >= FULL_MINUTES) await writePage('performance', figures)
})
