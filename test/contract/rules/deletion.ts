import { expect } from 'vitest'
import { section } from '../rule.ts'
import { expectError, patterned } from '../service.ts'

const bytes = patterned(2_500)

export const deletionRules = [
  ...section('§4.6', {
    'deleting answers {id, object, deleted: true} in any state, and the bytes are gone': async ({
      service,
    }) => {
      const uploading = (await service.create(bytes)).id
      const { upload } = await service.retrieve(uploading)
      await service.putParts(upload!.parts.slice(0, 1), bytes, 1_000)
      const processed = await service.upload(bytes)
      await service.processed(processed)
      for (const id of [uploading, processed]) {
        const answer = await service.call('DELETE', `/v1/sessions/${id}`)
        expect(answer.status).toBe(200)
        expect(answer.json()).toEqual({ id, object: 'session', deleted: true })
      }
      await service.nothingLeftBehind()
    },
    'a deleted session is gone: retrieve, complete, list and a second delete do not find it': async ({
      service,
    }) => {
      const site = `deleted-${performance.now()}`
      const created = await service.create(bytes, { site })
      const etags = await service.putParts(created.upload.parts, bytes, 1_000)
      await service.call('DELETE', `/v1/sessions/${created.id}`)
      expectError(await service.call('GET', `/v1/sessions/${created.id}`), 404, 'not_found')
      expectError(await service.complete(created.id, etags), 404, 'not_found')
      expectError(await service.call('DELETE', `/v1/sessions/${created.id}`), 404, 'not_found')
      expect((await service.call('GET', `/v1/sessions?site=${site}`)).json().data).toEqual([])
    },
    'deleting while it is being completed leaves no trace': async ({ service }) => {
      const big = patterned(400_000)
      const created = await service.create(big, { partSize: 100_000 })
      const etags = await service.putParts(created.upload.parts, big, 100_000)
      const [completed, deleted] = await Promise.all([
        service.complete(created.id, etags),
        service.call('DELETE', `/v1/sessions/${created.id}`),
      ])
      expect(deleted.status).toBe(200)
      expect([200, 404]).toContain(completed.status)
      expectError(await service.call('GET', `/v1/sessions/${created.id}`), 404, 'not_found')
      await service.nothingLeftBehind()
    },
  }),
]
