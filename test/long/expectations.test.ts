import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Finding } from '../../shared/ipc/station-check.ts'
import { mcapFile } from '../contract/sample-files.ts'
import { waitForJournal } from '../support/journal-file.ts'
import { Station } from '../support/station.ts'
import { sluice } from '../support/typed-command.ts'

let station: Station
const pathOf = (name: string) => path.join(station.recordings, name)
const record = async (name: string, seconds: number) =>
  writeFileSync(pathOf(name), await mcapFile({ seconds }))
beforeAll(async () => {
  station = await Station.open()
})
afterAll(() => station.close())

type Row = { readonly path: string; readonly state: string; readonly deviations: readonly string[] }
type Report = {
  readonly station: {
    readonly headline: string
    readonly takes_to_check: { readonly count: number; readonly newest: readonly object[] }
  }
  readonly recordings: readonly Row[]
}
const status = async (): Promise<Report> =>
  JSON.parse((await sluice('status', '--json', '--data', station.data)).out) as Report
const rowOf = ({ recordings }: Report, name: string) => recordings.find((row) => row.path === pathOf(name))
const waitForInspections = (count: number) =>
  waitForJournal(
    station.data,
    `${count} recordings are inspected`,
    `SELECT 1 WHERE (SELECT COUNT(*) FROM inspections WHERE result IS NOT NULL) = ${count}`,
  )

test('proposes an expectation after five recordings, not earlier, and the settings accept it', async () => {
  const agent = station.agent()
  await record('0.mcap', 30)
  await waitForInspections(1)
  const refusal = await sluice('expectations', 'learn', station.recordings, '--data', station.data)
  expect(refusal.out).toContain('Sluice needs 5 complete recordings of one format')
  for (let n = 1; n < 5; n += 1) await record(`${n}.mcap`, 30 + n)
  await waitForInspections(5)
  const { out } = await sluice('expectations', 'learn', station.recordings, '--data', station.data, '--json')
  const proposal = JSON.parse(out) as { readonly expect: object }
  expect(proposal).toEqual({
    folder: station.recordings,
    recordings: 5,
    left_out: 0,
    deviating: 0,
    expect: {
      format: 'mcap',
      channels: [
        { name: '/imu/Data', min_rate_hz: 0.8, max_gap_seconds: 2 },
        { name: '/camera_front/image', min_rate_hz: 0.8, max_gap_seconds: 2 },
      ],
      min_seconds: 24,
      max_seconds: 43,
    },
  })
  await agent.kill()
  const expected = { ...proposal.expect, channels: [{ name: '/imu/*' }, { name: '/camera/wrist' }] }
  station.configure({ folder: { expect: expected } })
  const settingsCheck = await sluice('settings', 'check', station.settingsFile)
  expect(settingsCheck.out).toContain('can be used')
  const doctor = await station.command('doctor', '--settings', station.settingsFile, '--json')
  const { findings } = JSON.parse(doctor.out) as { readonly findings: readonly Finding[] }
  expect(findings.find(({ subject }) => subject.startsWith('Expected content'))).toMatchObject({
    subject: `Expected content of ${station.recordings}`,
    verdict: 'warn',
    sentence: 'The last 5 recordings have no channel /camera/wrist.',
  })
})

test('reports a recording that deviates from the expectation, and still uploads it', async () => {
  const agent = station.agent()
  await record('bad.mcap', 12)
  await waitForInspections(6)
  const deviations = ['/camera/wrist is missing.', 'The recording is 12 s shorter than expected.']
  const report = await status()
  expect(rowOf(report, 'bad.mcap')).toMatchObject({ deviations })
  expect(rowOf(report, '0.mcap')).toMatchObject({ deviations: [] })
  expect(report.station).toMatchObject({
    headline: '1 recording is not as expected, needs you',
    takes_to_check: {
      count: 1,
      newest: [{ name: 'bad.mcap', folder: station.recordings, held: false, deviations }],
    },
  })
  const statusCheck = await sluice('status', '--check', '--data', station.data)
  expect(statusCheck.code).toBe(2)
  expect(statusCheck.out).toContain(`Check this recording, bad.mcap: ${deviations.join(' ')}`)
  const activity = await sluice('activity', '--data', station.data)
  expect(activity.out.replaceAll(/\s+/g, ' ')).toContain(
    `bad.mcap is not as expected. ${deviations.join(' ')}`,
  )
  await waitForJournal(
    station.data,
    'the bad recording is processed',
    "SELECT 1 FROM recordings WHERE name = 'bad.mcap' AND state = 'processed'",
  )
  await agent.kill()
})

const learn = async () => {
  const { out } = await sluice('expectations', 'learn', station.recordings, '--data', station.data, '--json')
  return JSON.parse(out) as object
}

test('learning leaves out a recording that is not as expected', async () => {
  expect(await learn()).toMatchObject({ recordings: 5, left_out: 1, expect: { min_seconds: 24 } })
})

test('the receipt lists the deviations of a recording, and how the inspections of Sluice and the service differ', async () => {
  const { out } = await sluice('receipt', '--path', pathOf('bad.mcap'), '--data', station.data)
  const { recordings } = JSON.parse(out) as Report
  expect(recordings).toMatchObject([
    {
      inspection: { format: 'mcap' },
      deviations: ['/camera/wrist is missing.', 'The recording is 12 s shorter than expected.'],
      differences: expect.any(Array),
    },
  ])
})

test('learning is refused for a folder that is not watched', async () => {
  const { code, err } = await sluice('expectations', 'learn', '/nope', '--data', station.data)
  expect(err).toContain('Sluice does not watch /nope.')
  expect(code).toBe(1)
})

test('a dismissed recording no longer needs attention, and keeps its deviations', async () => {
  const { out } = await sluice('dismiss', pathOf('bad.mcap'), '--data', station.data)
  expect(out).toContain('dismissed')
  const report = await status()
  expect(report.station.takes_to_check.count).toBe(0)
  expect(rowOf(report, 'bad.mcap')?.deviations).toHaveLength(2)
  expect(await learn()).toMatchObject({ recordings: 6, left_out: 0 })
  expect((await sluice('status', '--check', '--data', station.data)).code).toBe(0)
})
