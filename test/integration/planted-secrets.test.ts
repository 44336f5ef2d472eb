import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openProgramLog } from '../../main/program-log/program-log.ts'
import { readLogEnd, readLogPage } from '../../main/program-log/read-log.ts'
import { writeOwnerOnlyFile } from '../../main/shell/calls/saved-file.ts'
import { writeReport } from '../../main/station-store/write-report.ts'
import { redact } from '../../shared/redaction/redact.ts'
import type { Problem } from '../../shared/status/problem.ts'
import { agentProgram } from '../support/programs.ts'
import { AgentProcess, Station } from '../support/station.ts'
import { openTempJournal } from '../support/temp-journal.ts'
import { temporaryFolder } from './platform-support.ts'

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const secrets = fc.sample(fc.string({ unit: fc.constantFrom(...letters), minLength: 16, maxLength: 16 }), 60)

const shapes = [
  (secret: string) => `svc_live_${secret}`,
  (secret: string) => `xsvc_test_${secret}`,
  (secret: string) => `https://s.example/p?X-Amz-Signature=${secret}&n=1`,
  (secret: string) => encodeURIComponent(`https://s.example/p?s=${secret}`),
  (secret: string) => encodeURIComponent(encodeURIComponent(`http://u:${secret}@proxy.example:3128`)),
  (secret: string) => JSON.stringify({ headers: { authorization: `Bearer ${secret}` } }),
  (secret: string) => `Service-Signature: t=1,v1=${secret}`,
  (secret: string) => `whsec_${secret}`,
  (secret: string) => `https://s.example/#access_token=${secret}`,
]
const plantedSecrets = secrets.map((secret, index) => ({
  secret,
  text: shapes[index % shapes.length]!(secret),
}))

const decodeAll = (text: string): string => {
  const decodedOnce = text.replace(/%([0-9a-f]{2})/gi, (_all, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  return decodedOnce === text ? text : `${text}\n${decodeAll(decodedOnce)}`
}

const expectClean = (text: string) => {
  expect(text.length).toBeGreaterThan(100)
  const decodedText = decodeAll(text)
  for (const { secret } of plantedSecrets) expect(decodedText).not.toContain(secret)
}

test('a planted secret reaches neither log nor report, and no text can forge a line of the log', async () => {
  const folder = temporaryFolder()
  const logs = path.join(folder, 'logs')
  const log = openProgramLog(logs, 'agent')
  const mainLog = openProgramLog(logs, 'main')
  for (const { secret, text } of plantedSecrets) {
    log.info(text, { text, [text]: 1, api_key: secret, deep: [{ proxyPassword: secret, text }] })
    log.info('an answer', { requestId: text, sessionId: text, recordingId: 1 })
    mainLog.warn(`main: ${text}`)
  }
  log.warn('a name\n2026-01-01 info forged \u001b[2J\u202e', { name: 'a\u009b31m\u2066\n' })
  log.error('long', { long: 'word '.repeat(1_000_000) })

  const lines = readFileSync(path.join(logs, 'sluice.log'), 'utf8').trimEnd().split('\n')
  expectClean(lines.join('\n'))
  expect(lines).toHaveLength(3 * plantedSecrets.length + 2)
  const allLines = { levels: [], sources: [], text: '', older: null, limit: 500 }
  expectClean(JSON.stringify(await readLogPage(logs, allLines, redact)))
  expect(lines.at(-2)).toMatch(/a name\\u000a2026-01-01 info forged \\u001b\[2J\\u202e .*a\\u009b31m\\u2066/)
  expect(lines.at(-1)!.length).toBeLessThan(20_000)

  const report = writeReport({
    madeAt: new Date(0),
    app: { planted: plantedSecrets } as never,
    agentHealth: { state: 'running', restarts: 0 },
    keyStorage: {
      available: true,
      backend: 'x',
      protects: true,
      addressesWithKey: ['https://api.example.com'],
    },
    settings: {
      folders: [],
      service: { base_url: 'https://s.example', api_key: secrets[0], proxy: `http://u:${secrets[1]}@p:1` },
    } as never,
    settingsDamage: plantedSecrets[2]!.text,
    agent: {
      ok: true,
      value: plantedSecrets.map(({ text, secret }) => ({ text: `${text}\u202e`, token: secret })),
    },
    log: await readLogEnd(logs, 1_000_000),
    secrets: [secrets[3]!],
  })
  expectClean(report.replaceAll(/"secret": "[^"]*"/g, ''))
  expect(JSON.parse(report).keyStorage.addressesWithKey).toEqual(['https://api.example.com'])
  expect(report).not.toMatch(/[\u0080-\u009f\u202a-\u202e]/)

  const file = path.join(folder, 'report.json')
  writeFileSync(file, 'there before', { mode: 0o644 })
  await writeOwnerOnlyFile(file, report)
  expect(readFileSync(file, 'utf8')).toBe(report)
  if (process.platform !== 'win32')
    for (const privateFile of [file, ...readdirSync(logs).map((name) => path.join(logs, name))])
      expect(statSync(privateFile).mode & 0o077, privateFile).toBe(0)
})

test('`sluice status` prints no secret that an older version wrote to the journal', () => {
  const { journal, folder, close } = openTempJournal(() => 0)
  onTestFinished(close)
  const problem: Problem = {
    code: 'key-refused',
    owner: 'admin',
    sentence: plantedSecrets.map(({ text }) => text).join(' , '),
    next: 'Enter a new key.\u001b[2J\u202e',
    endsBy: 'key',
    nextAt: null,
    requestId: null,
    param: null,
  }
  journal.station.setConditions([problem])
  const print = (...flags: string[]) =>
    execFileSync(process.execPath, [agentProgram, 'status', '--data', folder, ...flags], { encoding: 'utf8' })
  const json = print('--json')
  expectClean(json)
  expect(JSON.parse(json).station.problem).toMatchObject({ code: 'key-refused', next: problem.next })
  expect(json).not.toContain('\u202e')
  const text = print()
  expectClean(text)
  expect(text).toContain('Enter a new key.\\u001b[2J\\u202e')
})

test('terminal control codes in a name are escaped in text, and preserved in JSON', async () => {
  const station = await Station.open()
  onTestFinished(() => station.close())
  const name = 'take\u001b[2J\n\u202e1.bin'
  const file = path.join(station.recordings, name)
  writeFileSync(file, 'some bytes')
  const run = new AgentProcess(
    ['run', '--settings', station.settingsFile, '--data', station.data, '--until-idle'],
    { keepOutput: true },
  )
  // The service may refuse such a name, but Sluice shows the recording in any case.
  await run.ended
  const status = await station.command('status')
  const json = await station.command('status', '--json')
  for (const out of [run.stdout, status.out]) {
    expect(out).toContain('take\\u001b[2J\\u000a\\u202e1.bin')
    expect(out).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u)
  }
  expect(JSON.parse(json.out).recordings[0].path).toBe(file)
  expect(json.out).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u)
})
