import { expect } from 'vitest'
import { section } from '../rule.ts'
import { expectError, patterned, type Service } from '../service.ts'

const bytes = patterned(2_500)

async function uploadParts(service: Service, content = bytes) {
  const created = await service.create(bytes)
  const etags = await service.putParts(created.upload.parts, content, 1_000)
  return { created, etags }
}

export const completionRules = [
  ...section('§4.3', {
    'completion returns the session with the status processing': async ({ launch }) => {
      const { service } = await launch('--min-part-size', '1000', '--processing-delay', '60000')
      const { created, etags } = await uploadParts(service)
      const answer = await service.complete(created.id, etags)
      expect(answer.status).toBe(200)
      expect(answer.json()).toMatchObject({
        id: created.id,
        object: 'session',
        status: 'processing',
        bytes: 2_500,
      })
      expect(answer.json()).not.toHaveProperty('upload')
      expect((await service.retrieve(created.id)).status).toBe('processing')
    },
    'the whole-file SHA-256 is verified: a mismatch is 409 checksum_mismatch, the stored parts stay, and a correct part can replace a wrong one':
      async ({ service }) => {
        const wrongBytes = Buffer.from(bytes)
        wrongBytes[1_500]! ^= 1
        const { created, etags } = await uploadParts(service, wrongBytes)
        expectError(await service.complete(created.id, etags), 409, 'conflict', 'checksum_mismatch')
        const session = await service.retrieve(created.id)
        expect(session).toMatchObject({ status: 'uploading', upload: { parts: [] } })
        const secondPut = await service.put(created.upload.parts[1]!.url, bytes.subarray(1_000, 2_000))
        const correctedEtags = new Map(etags).set(2, secondPut.headers.etag!)
        expect((await service.complete(created.id, correctedEtags)).status).toBe(200)
      },
    'every etag is verified: a wrong etag is 409 checksum_mismatch, and the parts stay': async ({
      service,
    }) => {
      const { created, etags } = await uploadParts(service)
      const wrongEtags = new Map(etags).set(2, `"${'0'.repeat(32)}"`)
      const answer = await service.complete(created.id, wrongEtags)
      expectError(answer, 409, 'conflict', 'checksum_mismatch', 'parts[1].etag')
      expect((await service.complete(created.id, etags)).status).toBe(200)
    },
    'an etag without the quotes of the returned ETag is 409 checksum_mismatch': async ({ service }) => {
      const { created, etags } = await uploadParts(service)
      const unquotedEtags = new Map([...etags].map(([number, etag]) => [number, etag.replaceAll('"', '')]))
      expectError(await service.complete(created.id, unquotedEtags), 409, 'conflict', 'checksum_mismatch')
    },
    'a completion must list every part in order': async ({ service }) => {
      const { created, etags } = await uploadParts(service)
      const parts = [...etags].map(([number, etag]) => ({ number, etag }))
      const path = `/v1/sessions/${created.id}/complete`
      const rows: [unknown, string][] = [
        [{}, 'parts'],
        [{ parts: 'all' }, 'parts'],
        [{ parts: parts.slice(0, 2) }, 'parts'],
        [{ parts: [...parts, { number: 4, etag: '"x"' }] }, 'parts'],
        [{ parts: parts.toReversed() }, 'parts[0].number'],
        [{ parts: [parts[0], parts[0], parts[2]] }, 'parts[1].number'],
        [{ parts: [{ number: 1.5, etag: '"x"' }] }, 'parts[0].number'],
        [{ parts: [{ number: 1 }] }, 'parts[0].etag'],
      ]
      for (const [body, param] of rows) {
        expectError(
          await service.call('POST', path, { body }),
          400,
          'invalid_request',
          'parameter_invalid',
          param,
        )
      }
      expect((await service.retrieve(created.id)).status).toBe('uploading')
    },
    'completion before every part has arrived is a conflict': async ({ service }) => {
      const created = await service.create(bytes)
      const etags = await service.putParts(created.upload.parts.slice(0, 2), bytes, 1_000)
      etags.set(3, etags.get(1)!)
      expectError(await service.complete(created.id, etags), 409, 'conflict', 'parts_missing')
    },
  }),
  ...section('§3', {
    'completing a second time is 409 conflict': async ({ service }) => {
      const { created, etags } = await uploadParts(service)
      expect((await service.complete(created.id, etags)).status).toBe(200)
      expectError(await service.complete(created.id, etags), 409, 'conflict')
      await service.waitUntilProcessed(created.id)
      expectError(await service.complete(created.id, etags), 409, 'conflict')
    },
    'exactly one of many concurrent completions succeeds': async ({ service }) => {
      const { created, etags } = await uploadParts(service)
      const answers = await Promise.all(Array.from({ length: 8 }, () => service.complete(created.id, etags)))
      const statuses = answers.map((answer) => answer.status).sort()
      expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 409)])
    },
  }),
]
