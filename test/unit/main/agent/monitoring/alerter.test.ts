import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Alerter } from '../../../../../main/agent/monitoring/alerter.ts'
import type { StationConditions } from '../../../../../main/agent/ports/station.ts'
import type { Problem, ProblemCode } from '../../../../../shared/status/problem.ts'
import type { Status } from '../../../../../shared/status/status.ts'
import { SimulatedMonitoring } from '../../../../support/monitoring/simulated-monitoring.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'
import { aProblem, aSilentFolder, aStatus } from '../../shell/status-fixture.ts'

const ALERT_URL = 'https://hooks.example.com/services/T0/B0/secret-path'

let world: SimulatedMonitoring
let temp: TempJournal
let alerter: Alerter
let conditionCode: ProblemCode | null = null

const startAlerter = () => {
  alerter = new Alerter({
    journal: temp.journal,
    station: { code: () => conditionCode } as unknown as StationConditions,
    settings: world.settings,
    clock: world.clock,
    random: world.random,
    log: world.log,
    newKey: world.newKey,
    monitoring: world.monitoring,
  })
}

beforeEach(() => {
  world = new SimulatedMonitoring()
  world.monitoringSettings = { alert_url: ALERT_URL }
  temp = openTempJournal(world.clock.wallMs)
  startAlerter()
})
afterEach(() => temp.close())

const keyProblem = aProblem({
  code: 'key-refused',
  owner: 'admin',
  sentence: 'The key is refused.',
  endsBy: 'key',
})
const siteProblem = aProblem({ code: 'site-refused', owner: 'admin', sentence: 'The site is refused.' })
const statusWith = (...problems: readonly Problem[]): Status =>
  aStatus({
    station: { state: 'attention', headline: 'Something needs attention.', conditions: problems },
    problems: problems.map((problem) => ({ problem, count: 0, examples: [] })),
  })
const statusWithRecordings = (count: number): Status =>
  aStatus({ problems: [{ problem: siteProblem, count, examples: [{ id: 1, name: 'a.mcap' }] }] })

type Body = {
  text: string
  type: string
  mrkdwn: boolean
  title: string
  '@type': string
  attachments: {
    contentType: string
    fallback: string
    text: string
    content: {
      type: string
      version: string
      body: { type: string; inlines: { type: string; text: string }[] }[]
    }
  }[]
  sluice: {
    id: string
    event: string
    station: string
    begins: { code: string }[]
    ends: { code: string }[]
    needs_attention: number
  }
}
const bodies = () => world.sent.map(({ body }) => JSON.parse(body?.text ?? '') as Body)
const events = () =>
  bodies().map(({ sluice }) => [sluice.event, ...sluice.begins.map(({ code }) => code)].join(' '))

test('sends nothing for problems that clear by themselves', async () => {
  world.status = statusWith(aProblem({ code: 'service-unreachable', endsBy: 'time' }))
  await world.pass(alerter, 60)
  expect(world.sent).toEqual([])
})

test('sends one alert when attention is needed and one when it is resolved', async () => {
  world.status = statusWith(keyProblem)
  await world.pass(alerter, 3_600)
  expect(events()).toEqual(['begins key-refused'])
  world.status = aStatus()
  await world.pass(alerter, 3_600)
  expect(events()).toEqual(['begins key-refused', 'over'])
  expect(bodies()[1]?.sluice.ends).toMatchObject([{ code: 'key-refused' }])
})

test('after a restart, no alert is repeated, and problems that ended meanwhile are reported as resolved', async () => {
  world.status = statusWith(keyProblem, siteProblem)
  await world.pass(alerter, 10)
  startAlerter()
  await world.pass(alerter, 60)
  expect(world.sent).toHaveLength(1)
  world.status = statusWith(siteProblem)
  startAlerter()
  await world.pass(alerter, 60)
  expect(events()).toEqual(['begins key-refused site-refused', 'over'])
  expect(bodies()[1]?.title).toBe('capture-pc-07 still needs attention')
})

test('if the keychain is locked at the start, no alert is lost or repeated', async () => {
  world.status = statusWith(keyProblem)
  await world.pass(alerter, 10)
  world.monitoringSettings = {}
  conditionCode = 'monitoring-locked'
  startAlerter()
  await world.pass(alerter, 60)
  expect(world.sent).toHaveLength(1)
  world.monitoringSettings = { alert_url: ALERT_URL }
  conditionCode = null
  await world.pass(alerter, 60)
  expect(events()).toEqual(['begins key-refused'])
  world.status = aStatus()
  await world.pass(alerter, 60)
  expect(events()).toEqual(['begins key-refused', 'over'])
})

test('after a restart, no problem is reported as resolved while the service is unreachable or the folder is not yet scanned', async () => {
  const unreadable = aProblem({ code: 'folder-unreadable' })
  const folder = { ...aSilentFolder('/rec', 'Hall 3'), silence: null }
  world.status = {
    ...statusWith(keyProblem),
    problems: [
      { problem: keyProblem, count: 0, examples: [] },
      { problem: unreadable, count: 0, folder: '/rec', examples: [] },
    ],
  }
  await world.pass(alerter, 10)
  startAlerter()
  const unreachable = aProblem({ code: 'service-unreachable', endsBy: 'time' })
  world.status = aStatus({
    station: { state: 'offline', problem: unreachable, conditions: [unreachable] },
    folders: [{ ...folder, state: 'scanning' }],
  })
  await world.pass(alerter, 600)
  expect(events()).toEqual(['begins key-refused folder-unreadable'])
  world.status = aStatus({ folders: [folder] })
  await world.pass(alerter, 60)
  expect(events()).toEqual(['begins key-refused folder-unreadable', 'over'])
})

test('after a restart, until the service answers, only local problems are reported as resolved', async () => {
  const portTaken = aProblem({ code: 'metrics-port-taken', owner: 'admin', endsBy: 'settings' })
  world.status = statusWith(keyProblem, portTaken)
  await world.pass(alerter, 10)
  startAlerter()
  world.status = aStatus({ station: { serviceReachable: null } })
  await world.pass(alerter, 3_600)
  expect(bodies().map(({ sluice }) => sluice.ends.map(({ code }) => code))).toEqual([
    [],
    ['metrics-port-taken'],
  ])
  world.status = aStatus()
  await world.pass(alerter, 60)
  expect(bodies().at(-1)).toMatchObject({ title: 'capture-pc-07 no longer needs attention' })
})

test('reports a drive that is almost full, and reports it as resolved only after the drive answers again', async () => {
  const drive = {
    name: '/rec',
    folders: ['/rec'],
    space: { totalBytes: 1e12, freeBytes: 1e9 },
    answering: true,
    safeBytes: 0,
    fills: { kind: 'unknown' },
    low: true,
  } as const
  const folders = [{ ...aSilentFolder('/rec', 'Hall 3'), silence: null }]
  world.status = aStatus({ folders, driveSpace: [drive] })
  await world.pass(alerter, 10)
  expect(bodies()[0]?.text).toMatch(/rec is almost full: .* free\. Free up space on this drive\./)
  startAlerter()
  world.status = aStatus({ folders, driveSpace: [{ ...drive, space: null, low: false }] })
  await world.pass(alerter, 600)
  expect(events()).toEqual(['begins drive-low'])
  world.status = aStatus({ folders, driveSpace: [{ ...drive, low: false }] })
  await world.pass(alerter, 60)
  expect(events()).toEqual(['begins drive-low', 'over'])
})

test('an alert that a kill interrupted is sent again with the same ID', async () => {
  world.arrives = false
  world.status = statusWith(keyProblem)
  await world.pass(alerter, 5)
  startAlerter()
  world.arrives = true
  await world.pass(alerter, 60)
  const ids = world.sent.map(({ headers }) => headers?.['idempotency-key'])
  expect(new Set(ids)).toEqual(new Set(['id-1']))
  expect(ids.length).toBeGreaterThan(1)
  expect(temp.journal.alerts.waitingAlert()).toBeNull()
})

describe('never floods the receiver:', () => {
  test('10,000 recordings with one problem cause one message', async () => {
    world.status = statusWithRecordings(1)
    await world.pass(alerter, 10)
    world.status = statusWithRecordings(10_000)
    await world.pass(alerter, 600)
    expect(world.sent).toHaveLength(1)
  })

  test('problems that begin together share a message', async () => {
    world.status = statusWith(keyProblem)
    await world.pass(alerter, 1)
    world.status = statusWith(keyProblem, siteProblem)
    await world.pass(alerter, 10)
    expect(events()).toEqual(['begins key-refused site-refused'])
  })

  test('a problem that comes and goes causes one message at first, and only few over hours', async () => {
    world.status = statusWith(keyProblem)
    await world.pass(alerter, 10)
    for (let n = 0; n < 20; n += 1) {
      world.status = n % 2 === 0 ? aStatus() : statusWith(keyProblem)
      await world.pass(alerter, 10)
    }
    expect(events()).toEqual(['begins key-refused'])
    const before = world.sent.length
    for (let n = 0; n < 400; n += 1) {
      world.status = n % 2 === 0 ? aStatus() : statusWith(keyProblem)
      await world.pass(alerter, 30, 5)
    }
    // The limit is 6 messages in any hour, and the loop simulates 3 h 20 min. The test allows a few more: 6 at once,
    // then one every 10 minutes.
    expect(world.sent.length - before).toBeLessThanOrEqual(6 + 21)
  })

  test('a failing receiver is retried with backoff, and the alert is dropped after a day', async () => {
    world.arrives = false
    world.status = statusWith(keyProblem)
    await world.pass(alerter, 3_600)
    expect(world.sent.length).toBeGreaterThan(5)
    expect(world.sent.length).toBeLessThan(16)
    await world.pass(alerter, 26 * 3_600, 60)
    expect(temp.journal.alerts.waitingAlert()).toBeNull()
    expect(world.board.alert.failure?.sentence).toBe('hooks.example.com answers with status 503.')
  })

  test('the receiver’s Retry-After delays the next attempt', async () => {
    world.arrives = false
    world.retryAfterMs = 1_800_000
    world.status = statusWith(keyProblem)
    await world.pass(alerter, 1_700)
    expect(world.sent).toHaveLength(1)
    world.arrives = true
    await world.pass(alerter, 200)
    expect(world.sent).toHaveLength(2)
  })
})

test('removing the URL forgets all alerts; setting it again reports every open problem', async () => {
  world.status = statusWith(keyProblem)
  await world.pass(alerter, 10)
  world.monitoringSettings = {}
  await world.pass(alerter, 10)
  expect(temp.journal.alerts.reportedNeeds()).toEqual([])
  world.monitoringSettings = { alert_url: ALERT_URL }
  await world.pass(alerter, 10)
  expect(events()).toEqual(['begins key-refused', 'begins key-refused'])
})

test('one body works for Slack, Teams and programs, and contains the window’s headline, but not the alert URL', async () => {
  world.status = aStatus({
    station: { headline: '2 recordings need your administrator', detail: '3 of 5 safe' },
    problems: [
      {
        problem: { ...siteProblem, sentence: 'The site <!channel> of take_01_*[b](c)* is refused.' },
        count: 2,
        examples: [],
      },
    ],
    folders: [aSilentFolder('/rec/4', 'Hall 4')],
  })
  await world.pass(alerter, 10)
  const [body] = bodies()
  const text = JSON.stringify(body)
  expect(text).not.toContain('secret-path')
  expect(body?.text).toContain(
    'capture-pc-07 needs attention. 2 recordings need your administrator · 3 of 5 safe',
  )
  expect(body?.text).toContain('2 recordings: The site ‹!channel› of take_01_*[b](c)* is refused.')
  expect(body?.text).toContain(
    'Hall 4 usually has 30 recordings by now; none since 18:00. Check the recorder. (For you)',
  )
  expect(body?.['@type']).toBe('MessageCard')
  expect(body?.attachments[0]).toMatchObject({
    contentType: 'application/vnd.microsoft.card.adaptive',
    fallback: 'capture-pc-07 needs attention',
  })
  // Teams workflows expect a list of attachments, each a card without Markdown.
  const card = body?.attachments[0]?.content
  expect(body?.type).toBe('message')
  expect(card).toMatchObject({ type: 'AdaptiveCard', version: '1.4' })
  for (const block of card?.body ?? [])
    expect(block).toMatchObject({ type: 'RichTextBlock', inlines: [{ type: 'TextRun' }] })
  const cardText = card?.body.flatMap(({ inlines }) => inlines.map(({ text: run }) => run)).join(' ')
  expect(cardText).toContain('The site ‹!channel› of take_01_*[b](c)* is refused.')
  expect(body?.mrkdwn).toBe(false)
  expect(body?.sluice).toMatchObject({
    event: 'begins',
    station: 'capture-pc-07',
    sites: ['Hall 4'],
    needs_attention: 2,
    begins: [
      { code: 'site-refused', owner: 'admin', recordings: 2 },
      { code: 'silence', folder: '/rec/4' },
    ],
  })
})
