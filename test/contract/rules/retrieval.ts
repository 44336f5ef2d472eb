import { expect } from 'vitest'
import { section } from '../rule.ts'
import { expectError, patterned } from '../service.ts'

const bytes = patterned(3_500)

export const retrievalRules = [
  ...section('§4.4', {
    'while uploading, upload lists only the missing parts, with fresh URLs that work': async ({
      service,
    }) => {
      const created = await service.create(bytes)
      const first = await service.putParts([created.upload.parts[0]!, created.upload.parts[2]!], bytes, 1_000)
      await service.operate('POST', '/expire-urls')
      expect((await service.put(created.upload.parts[1]!.url, bytes.subarray(1_000, 2_000))).status).toBe(403)
      const session = await service.retrieve(created.id)
      expect(session.upload!.parts.map((part) => part.number)).toEqual([2, 4])
      expect(session.upload!.part_size).toBe(1_000)
      const rest = await service.putParts(session.upload!.parts, bytes, 1_000)
      expect((await service.complete(created.id, new Map([...first, ...rest]))).status).toBe(200)
    },
    'with all parts received and not completed, upload.parts is empty': async ({ service }) => {
      const created = await service.create(bytes)
      await service.putParts(created.upload.parts, bytes, 1_000)
      expect((await service.retrieve(created.id)).upload!.parts).toEqual([])
    },
    'after completion there is no upload': async ({ service }) => {
      expect(await service.processed(await service.upload(bytes))).not.toHaveProperty('upload')
    },
    'an unknown session is 404': async ({ service }) => {
      expectError(await service.call('GET', '/v1/sessions/ses_doesnotexist'), 404, 'not_found')
    },
  }),
  ...section('§2.2', {
    'a processed session has every field of the table': async ({ service }) => {
      const session = await service.processed(
        await service.upload(Buffer.from('t,x\n1700000000,1\n1700000061,2\n'), { filename: 'a.csv' }),
      )
      expect(session).toEqual({
        id: expect.stringMatching(/^ses_/),
        object: 'session',
        site: 'hall-1',
        filename: 'a.csv',
        bytes: 30,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        status: 'processed',
        recorded_at: '2023-11-14T22:13:20.000Z',
        duration_s: 61,
        channels: ['x'],
        segment_count: 2,
        issues: [],
        created_at: expect.any(String),
        processed_at: expect.any(String),
      })
    },
  }),
]
