import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { Agent } from '../../../main/agent/assembly/agent.ts'
import { failureOfStatus } from '../../../main/agent/service/status-failures.ts'
import { remainingWork } from '../../../main/cli/remaining-work.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'

const silent = { info: () => {}, warn: () => {}, error: () => {} }

test('JSON without a Request-Id and without the fields of §7 counts as an answer of a gateway, not of the service', () => {
  const body = Buffer.from(JSON.stringify({ error: { code: 404, message: 'no route', status: 'NOT_FOUND' } }))
  const answer = { status: 404, headers: { 'content-type': 'application/json' }, body, isWhole: true }
  expect(failureOfStatus(answer, (text) => text, 0).kind).toBe('foreign-answer')
})

const withAgent = async (check: (agent: Agent) => void | Promise<void>) => {
  const dataFolder = mkdtempSync(path.join(tmpdir(), 'sluice-answers-'))
  const agent = new Agent({ dataFolder, log: silent, onDamage: () => {} })
  try {
    await check(agent)
  } finally {
    await agent.stop()
    rmSync(dataFolder, { recursive: true, force: true })
  }
}

const addReadyRecording = (agent: Agent) => {
  const folder = settingsSchema.shape.folders.parse([{ path: '/r', site: 'lab' }])[0]!
  const identity = { device: '1', inode: '1', sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' }
  agent.journal.recordings.add({ path: '/r/a.bin', identity }, folder, { findSessionFirst: false })
  agent.journal.recordings.transition(1, 'growing', { kind: 'settled' }, { reason: '' })
  agent.journal.recordings.transition(1, 'queued', { kind: 'hash-started' }, { reason: '' })
  agent.journal.recordings.transition(
    1,
    'hashing',
    { kind: 'hashed' },
    { reason: '', patch: { sha256: 'x', partSizeBytes: 1 } },
  )
}

test('during a pause by the user, `--until-idle` waits at most for the time of `--patience`', () =>
  withAgent((agent) => {
    addReadyRecording(agent)
    agent.journal.station.pause(null)
    expect(remainingWork(agent)).toBe('temporary')
  }))

test('during a pause, `--until-idle` waits for sessions in processing, but not for waiting recordings', () =>
  withAgent((agent) => {
    addReadyRecording(agent)
    const { recordings } = agent.journal
    recordings.transition(
      1,
      'ready',
      { kind: 'session-opened' },
      { reason: '', patch: { sessionId: 'ses_1' } },
    )
    recordings.transition(1, 'uploading', { kind: 'completed' }, { reason: '' })
    const identity = { device: '1', inode: '2', sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' }
    const folder = settingsSchema.shape.folders.parse([{ path: '/r', site: 'lab' }])[0]!
    recordings.add({ path: '/r/b.bin', identity }, folder, { findSessionFirst: false })
    expect(remainingWork(agent)).toBe('work')
    agent.journal.station.pause(null)
    expect(remainingWork(agent)).toBe('processing')
  }))

test('a locked keychain with monitoring secrets raises a station condition until the keychain is unlocked', () =>
  withAgent(async (agent) => {
    const settings = settingsSchema.parse({ service: { base_url: 'https://service.invalid' } })
    const configuration = { settings, apiKey: null, systemProxy: { kind: 'unknown' } } as const
    const codes = () => agent.status().station.conditions.map(({ code }) => code)
    await agent.configure({ ...configuration, monitoringLocked: true })
    expect(codes()).toContain('monitoring-locked')
    await agent.configure(configuration)
    expect(codes()).not.toContain('monitoring-locked')
  }))

test('`--until-idle` waits for sessions in processing even while Sluice refuses the certificate of the storage', () =>
  withAgent((agent) => {
    addReadyRecording(agent)
    const { recordings } = agent.journal
    recordings.transition(
      1,
      'ready',
      { kind: 'session-opened' },
      { reason: '', patch: { sessionId: 'ses_1' } },
    )
    recordings.transition(1, 'uploading', { kind: 'completed' }, { reason: '' })
    agent.station.raise('storage', 'certificate-refused')
    expect(recordings.byId(1)?.state).toBe('processing')
    expect(remainingWork(agent)).toBe('processing')
  }))
