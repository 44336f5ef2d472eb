import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openProgramLog } from '../../main/program-log/program-log.ts'
import { readLogEnd } from '../../main/program-log/read-log.ts'
import { REPORTED_LOG_BYTES, writeReport } from '../../main/station-store/write-report.ts'
import type { SupportFacts } from '../../shared/ipc/support.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { HostedAgent } from '../support/hosted-agent.ts'
import { Station } from '../support/station.ts'

let station: Station
let hosted: HostedAgent
afterEach(async () => {
  await station?.close()
})

/** A secret without a recognisable pattern. */
const ODD_KEY = '7f-Odd!Key*of~this.station'

/** Log lines with secrets, as other programs, older versions or mistakes may write them. */
const LEAKS = [
  ['svc_live_LEAKED1', 'key svc_live_LEAKED1 in a sentence'],
  ['LEAKED2', '{"headers":{"Authorization":"Basic LEAKED2=="}}'],
  [
    'LEAKED3',
    'authorization: AWS4-HMAC-SHA256 Credential=me/20260312, SignedHeaders=host, Signature=LEAKED3',
  ],
  ['LEAKED4', 'PUT https://storage.example/b/1?X-Amz-Credential=a&X-Amz-Signature=LEAKED4&partNumber=3 403'],
  ['LEAKED5', 'PUT /b/1?X-Amz-Date=20260312T000000Z&X-Amz-Security-Token=LEAKED5 HTTP/1.1'],
  ['LEAKED6', 'X-Amz-Signature: LEAKED6'],
  ['LEAKED7', 'proxy http://lab:LEAKED7@proxy.example:3128 answered 407'],
  ['LEAKED8', 'Bearer LEAKED8.abc'],
  ['LEAKED9', 'sig=LEAKED9&se=2026'],
  [ODD_KEY, `the key ${ODD_KEY} was refused`],
] as const

const writeTestReport = async (facts: SupportFacts): Promise<string> => {
  const settings = settingsSchema.parse(JSON.parse(readFileSync(station.settingsFile, 'utf8')))
  return writeReport({
    madeAt: new Date('2026-03-12T07:42:00Z'),
    app: {
      version: '0.1.0',
      electron: '45',
      node: '24',
      platform: 'linux',
      system: 'linux',
      dataFolder: station.data,
      logFolder: path.join(station.data, 'logs'),
      settingsFile: station.settingsFile,
      hasTray: true,
      desktop: null,
      loginTrouble: null,
    },
    agentHealth: { state: 'running', restarts: 0 },
    keyStorage: {
      available: true,
      backend: 'gnome_libsecret',
      protects: true,
      addressesWithKey: ['https://api.example.com'],
    },
    settings,
    settingsDamage: null,
    agent: { ok: true, value: facts },
    log: await readLogEnd(path.join(station.data, 'logs'), REPORTED_LOG_BYTES),
    secrets: [ODD_KEY, null, ''],
  })
}

test('a support report describes the events without a key or signature, whatever the log contains', async () => {
  station = await Station.open()
  station.configure({ service: { proxy: 'http://lab:LEAKED0@127.0.0.1:9' } })
  const withProxy = readFileSync(station.settingsFile)
  station.configure()
  writeFileSync(path.join(station.recordings, 'good.bin'), 'some bytes')
  writeFileSync(path.join(station.recordings, 'empty.bin'), '')
  hosted = await HostedAgent.start(station)
  await hosted.waitForState('good.bin', 'processed')
  await hosted.waitForProblem('empty.bin', 'empty-file')
  const logs = path.join(station.data, 'logs')
  mkdirSync(logs, { recursive: true })
  appendFileSync(
    path.join(logs, 'sluice.log'),
    `\n${LEAKS.map(([, line]) => `a line: ${line}`).join('\n')}\n`,
  )
  writeFileSync(station.settingsFile, withProxy)

  const text = await writeTestReport(await hosted.call('getSupportFacts', undefined))

  for (const [secret] of LEAKS) expect(text).not.toContain(secret)
  expect(text).not.toMatch(/LEAKED|X-Amz-(?!Checksum)\w|svc_test_(?!\[removed\])/)
  expect(text).not.toContain(station.sandbox.keys.write)
  const parsed = JSON.parse(text)
  expect(parsed.settings.service).not.toHaveProperty('api_key')
  expect(parsed.agent.journal).toMatchObject({ intact: true, trouble: null })
  expect(parsed.agent.status.counts).toMatchObject({ processed: 1, growing: 1 })
  expect(parsed.agent.problems).toMatchObject([
    { path: path.join(station.recordings, 'empty.bin'), problem: { code: 'empty-file' } },
  ])
  expect(parsed.agent.requests[0]).toMatchObject({
    path: path.join(station.recordings, 'good.bin'),
    requestId: expect.stringMatching(/\S/),
  })
  expect(parsed.log.filter((line: string) => line.startsWith('a line:'))).toHaveLength(LEAKS.length)
})

test('right after a log rotation, the report still has the end of the previous log', async () => {
  station = await Station.open()
  const logs = path.join(station.data, 'logs')
  const log = openProgramLog(logs, 'agent')
  const writtenLines: string[] = []
  const write = (facts?: Record<string, string>) => {
    writtenLines.push(`line ${writtenLines.length}.`)
    log.info(writtenLines.at(-1)!, facts)
  }
  write()
  while (readdirSync(logs).length < 2) write({ filler: 'x '.repeat(8_000) })
  write()

  const lines = await readLogEnd(logs, 200_000)

  const reportedLines = (lines ?? []).map((line) => /line \d+\./.exec(line)?.[0])
  expect(reportedLines.length).toBeGreaterThan(3)
  expect(reportedLines).toEqual(writtenLines.slice(-reportedLines.length))
  expect((lines ?? []).join('\n').length).toBeLessThanOrEqual(200_000)
})

test('Sluice can write a report while the agent does not answer, and on a PC without logs', async () => {
  station = await Station.open()
  const text = writeReport({
    madeAt: new Date('2026-03-12T07:42:00Z'),
    app: {} as never,
    agentHealth: { state: 'restarting', restarts: 3, trouble: 'The data folder is in use.' },
    keyStorage: { available: false, backend: 'unknown', protects: false, addressesWithKey: [] },
    settings: { folders: [] } as never,
    settingsDamage: null,
    agent: {
      ok: false,
      error: { kind: 'agent-unavailable', message: 'The agent did not answer in time.' },
    },
    log: await readLogEnd(path.join(station.root, 'nowhere'), 1_000),
    secrets: [],
  })
  expect(JSON.parse(text)).toMatchObject({
    agentHealth: { trouble: 'The data folder is in use.' },
    agent: { unavailable: 'The agent did not answer in time.' },
    log: null,
  })
})
