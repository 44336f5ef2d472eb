import { expect } from 'vitest'
import type { CreatedSession, Session } from '../../../shared/contract/control-api.ts'
import { section } from '../rule.ts'
import { expectError, newSession, patterned } from '../service.ts'

const bytes = patterned(3_500)

export const retrievalRules = [
  ...section('§4.4', {
    'until completion, upload lists only the missing parts, with fresh URLs that work': async ({
      service,
    }) => {
      const created = await service.create(bytes)
      const firstEtags = await service.putParts(
        [created.upload.parts[0]!, created.upload.parts[2]!],
        bytes,
        1_000,
      )
      await service.operate('POST', '/expire-urls')
      expect((await service.put(created.upload.parts[1]!.url, bytes.subarray(1_000, 2_000))).status).toBe(403)
      const session = await service.retrieve(created.id)
      expect(session.upload!.parts.map((part) => part.number)).toEqual([2, 4])
      expect(session.upload!.part_size).toBe(1_000)
      const otherEtags = await service.putParts(session.upload!.parts, bytes, 1_000)
      expect((await service.complete(created.id, new Map([...firstEtags, ...otherEtags]))).status).toBe(200)
    },
    'before completion, upload.parts is empty once all parts have arrived': async ({ service }) => {
      const created = await service.create(bytes)
      await service.putParts(created.upload.parts, bytes, 1_000)
      expect((await service.retrieve(created.id)).upload!.parts).toEqual([])
    },
    'after completion, the session has no upload': async ({ service }) => {
      expect(await service.waitUntilProcessed(await service.upload(bytes))).not.toHaveProperty('upload')
    },
    'the missing parts are listed even for a key without write permission': async ({ service }) => {
      const { id } = await service.create(bytes)
      const answer = await service.call('GET', `/v1/sessions/${id}`, { key: service.sandbox.keys.read })
      expect((answer.json() as unknown as Session).upload!.parts).toHaveLength(4)
    },
    'an unknown session is 404': async ({ service }) => {
      expectError(await service.call('GET', '/v1/sessions/ses_doesnotexist'), 404, 'not_found')
    },
  }),
  ...section('§2.2', {
    'a processed session has every field that the contract lists for a session': async ({ service }) => {
      const recording = Buffer.from('t,x\n1700000000,1\n1700000061,2\n')
      const { part_size, ...fields } = newSession(recording, { filename: 'a.csv' })
      const body = { ...fields, part_size, device: 'arm-7', notes: 'second run' }
      const created = (
        await service.call('POST', '/v1/sessions', { body })
      ).json() as unknown as CreatedSession
      const etags = await service.putParts(created.upload.parts, recording, part_size)
      await service.complete(created.id, etags)
      const session = await service.waitUntilProcessed(created.id)
      expect(session).toEqual({
        id: expect.stringMatching(/^ses_/),
        object: 'session',
        site: 'hall-1',
        device: 'arm-7',
        filename: 'a.csv',
        bytes: 30,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        status: 'processed',
        recorded_at: '2023-11-14T22:13:20.000Z',
        duration_s: 61,
        channels: ['x'],
        segment_count: 2,
        issues: [],
        notes: 'second run',
        created_at: expect.any(String),
        processed_at: expect.any(String),
      })
    },
    'an issue is {code, severity, detail}, with the channel that it concerns, if any': async ({
      service,
    }) => {
      const recording = Buffer.from('Time,x\nsoon,1\nlater,2\n')
      const session = await service.waitUntilProcessed(await service.upload(recording, { filename: 'a.csv' }))
      expect(session.issues).toEqual([
        { code: 'time_unreadable', severity: 'warning', channel: 'time', detail: expect.any(String) },
      ])
    },
  }),
  ...section('§8', {
    'the URLs expire at upload.expires_at, and each retrieval extends it': async ({ launch }) => {
      const { service } = await launch('--min-part-size', '1000', '--url-lifetime', '120', '--control')
      const setClock = async (offset_s: number) =>
        service.operate('POST', '/clock', { offset_s, frozen: true })
      const { now } = (await setClock(0)) as { now: string }
      const created = await service.create(bytes)
      const lifetimeS = (Date.parse(created.upload.expires_at) - Date.parse(now)) / 1000
      expect(lifetimeS).toBeGreaterThan(118)
      expect(lifetimeS).toBeLessThanOrEqual(120)
      const part1 = bytes.subarray(0, 1_000)
      await setClock(lifetimeS - 0.001)
      expect((await service.put(created.upload.parts[0]!.url, part1)).status).toBe(200)
      await setClock(lifetimeS)
      expect((await service.put(created.upload.parts[0]!.url, part1)).status).toBe(403)
      const { upload } = await service.retrieve(created.id)
      expect(Date.parse(upload!.expires_at)).toBeGreaterThan(Date.parse(created.upload.expires_at))
      expect((await service.put(upload!.parts[0]!.url, bytes.subarray(1_000, 2_000))).status).toBe(200)
    },
  }),
]
