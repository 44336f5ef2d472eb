import { expect } from 'vitest'
import type { CreatedSession } from '../../../shared/contract/control-api.ts'
import { type Rule, section } from '../rule.ts'
import { expectError, newSession, patterned, sha256 } from '../service.ts'

const valid = { ...newSession(Buffer.from('x')), part_size: 8_000_000 }

/** Each row: the mistake, the body, and the parameter that the error must name. */
const refusals: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['site missing', { ...valid, site: undefined }, 'site'],
  ['site empty', { ...valid, site: ' ' }, 'site'],
  ['site not a string', { ...valid, site: 7 }, 'site'],
  ['filename missing', { ...valid, filename: undefined }, 'filename'],
  ['filename empty', { ...valid, filename: '' }, 'filename'],
  ['bytes missing', { ...valid, bytes: undefined }, 'bytes'],
  ['bytes negative', { ...valid, bytes: -1 }, 'bytes'],
  ['bytes fractional', { ...valid, bytes: 1.5 }, 'bytes'],
  ['bytes as text', { ...valid, bytes: '12' }, 'bytes'],
  ['bytes past 2^53', { ...valid, bytes: 2 ** 53 }, 'bytes'],
  ['sha256 missing', { ...valid, sha256: undefined }, 'sha256'],
  ['sha256 too short', { ...valid, sha256: 'ab' }, 'sha256'],
  ['sha256 not hex', { ...valid, sha256: 'g'.repeat(64) }, 'sha256'],
  ['part_size under 8 MB', { ...valid, part_size: 7_999_999 }, 'part_size'],
  ['part_size over 512 MB', { ...valid, part_size: 512_000_001 }, 'part_size'],
  ['part_size fractional', { ...valid, part_size: 8_000_000.5 }, 'part_size'],
  ['device not a string', { ...valid, device: {} }, 'device'],
  ['notes not a string', { ...valid, notes: [] }, 'notes'],
]

/** A sandbox without `--min-part-size` has the real limits for the part size. */
const realLimitFlags = ['--rate-limit', '100000']

const refusalRule: Rule = {
  section: '§4.1',
  rule: `a missing or malformed parameter answers 400 with param; the tested mistakes: ${refusals.map(([mistake]) => mistake).join(', ')}`,
  async run({ launch }) {
    const { service } = await launch(...realLimitFlags)
    for (const [mistake, body, param] of refusals) {
      const answer = await service.call('POST', '/v1/sessions', { body })
      expect(answer.status, mistake).toBe(400)
      expectError(answer, 400, 'invalid_request', 'parameter_invalid', param)
    }
  },
}

export const creationRules = [
  ...section('§2.3', {
    'creation returns id, object, status uploading, and upload with part_size, expires_at and parts': async ({
      service,
    }) => {
      const created = await service.create(patterned(2_500))
      expect(Object.keys(created).sort()).toEqual(['id', 'object', 'status', 'upload'])
      expect(created).toMatchObject({ object: 'session', status: 'uploading', upload: { part_size: 1_000 } })
      expect(created.upload.parts.map((part) => part.number)).toEqual([1, 2, 3])
      for (const { url } of created.upload.parts)
        expect(url.startsWith(`${service.sandbox.uploadUrl}/`)).toBe(true)
      expect(Date.parse(created.upload.expires_at)).toBeGreaterThan(Date.now())
    },
  }),
  ...section('§2.2', {
    'site, device, filename, bytes, sha256 and notes are returned unchanged': async ({ service }) => {
      const bytes = patterned(10)
      const requestBody = {
        ...newSession(bytes),
        site: 'Halle Süd',
        device: 'arm-7',
        notes: 'line 1\nline 2',
      }
      const answer = await service.call('POST', '/v1/sessions', { body: requestBody })
      const session = await service.retrieve(answer.json().id as string)
      const { part_size: _, ...fields } = requestBody
      expect(session).toMatchObject(fields)
      expect(session.sha256).toBe(sha256(bytes))
    },
    'sha256 may be written in capitals': async ({ service }) => {
      const bytes = patterned(10)
      const body = { ...newSession(bytes), sha256: sha256(bytes).toUpperCase() }
      const created = (
        await service.call('POST', '/v1/sessions', { body })
      ).json() as unknown as CreatedSession
      const etags = await service.putParts(created.upload.parts, bytes, 1_000)
      expect((await service.complete(created.id, etags)).status).toBe(200)
    },
    'a site is created on first use': async ({ service }) => {
      const site = `site-${Date.now()}`
      expect((await service.call('GET', `/v1/sessions?site=${site}`)).json().data).toEqual([])
      const created = await service.create(patterned(10), { site })
      const listedSessions = (await service.call('GET', `/v1/sessions?site=${site}`)).json().data as {
        id: string
      }[]
      expect(listedSessions.map(({ id }) => id)).toEqual([created.id])
    },
  }),
  ...section('§4.1', {
    'part_size defaults to 64 MB; device and notes are optional': async ({ launch }) => {
      const { service } = await launch(...realLimitFlags)
      const { part_size: _, ...body } = { ...valid, bytes: 150_000_000 }
      const answer = await service.call('POST', '/v1/sessions', { body })
      const { upload } = answer.json() as { upload: { part_size: number; parts: unknown[] } }
      expect(upload.part_size).toBe(64_000_000)
      expect(upload.parts).toHaveLength(3)
    },
    'a part size of exactly 8 MB or 512 MB is accepted, and the last part may be smaller': async ({
      launch,
    }) => {
      const { service } = await launch(...realLimitFlags)
      for (const size of [8_000_000, 512_000_000]) {
        const body = { ...valid, bytes: size + 1, part_size: size }
        const answer = await service.call('POST', '/v1/sessions', { body })
        expect((answer.json() as { upload: { parts: unknown[] } }).upload.parts).toHaveLength(2)
      }
    },
    '10,000 parts are accepted, 10,001 are not': async ({ service }) => {
      const body = { ...newSession(Buffer.alloc(0)), bytes: 10_000_000, part_size: 1_000 }
      const atLimit = await service.call('POST', '/v1/sessions', { body })
      expect((atLimit.json() as { upload: { parts: unknown[] } }).upload.parts).toHaveLength(10_000)
      const aboveLimit = await service.call('POST', '/v1/sessions', { body: { ...body, bytes: 10_000_001 } })
      expectError(aboveLimit, 400, 'invalid_request', 'parameter_invalid', 'part_size')
    },
    'an empty file has one part with no bytes': async ({ service }) => {
      const created = await service.create(Buffer.alloc(0))
      expect(created.upload.parts).toHaveLength(1)
      const etags = await service.putParts(created.upload.parts, Buffer.alloc(0), 1_000)
      expect((await service.complete(created.id, etags)).status).toBe(200)
    },
  }),
  refusalRule,
]
