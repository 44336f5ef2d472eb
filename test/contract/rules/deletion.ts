import { expect } from 'vitest'
import { subscribe, waitUntilNoDeliveryIsPending } from '../event-support.ts'
import { section } from '../rule.ts'
import { expectError, patterned } from '../service.ts'

const bytes = patterned(2_500)
const flags = ['--min-part-size', '1000', '--control']

export const deletionRules = [
  ...section('§4.6', {
    'deletion returns {id, object, deleted: true} in any state, and removes the bytes': async ({
      launch,
    }) => {
      const { service } = await launch(...flags, '--processing-delay', '60000')
      const uploading = await service.create(bytes)
      await service.putParts(uploading.upload.parts.slice(0, 1), bytes, 1_000)
      const processed = await service.upload(bytes)
      const failed = await service.upload(bytes, { filename: 'cut.mcap' })
      await service.operate('POST', '/clock', { offset_s: 61 })
      expect((await service.waitUntilProcessed(processed)).status).toBe('processed')
      expect((await service.waitUntilProcessed(failed)).status).toBe('failed')
      const processing = await service.upload(bytes)
      const idsByStatus: Record<string, string> = {}
      for (const id of [uploading.id, processing, processed, failed]) {
        idsByStatus[(await service.retrieve(id)).status] = id
        const answer = await service.call('DELETE', `/v1/sessions/${id}`)
        expect(answer.status).toBe(200)
        expect(answer.json()).toEqual({ id, object: 'session', deleted: true })
      }
      expect(Object.keys(idsByStatus).sort()).toEqual(['failed', 'processed', 'processing', 'uploading'])
      await service.waitUntilNoOrphans()
      // The three sample sessions have one part each.
      expect(await service.operate('GET', '/files')).toEqual({ files: 3, orphans: 0 })
    },
    'the service sends no event for a session that is deleted during processing': async ({ launch }) => {
      const { service } = await launch(...flags, '--processing-delay', '60000')
      const { hook } = await subscribe(service, ['session.processed', 'session.failed'])
      const deleted = await service.upload(bytes)
      const remaining = await service.upload(bytes)
      expect((await service.call('DELETE', `/v1/sessions/${deleted}`)).status).toBe(200)
      await service.operate('POST', '/clock', { offset_s: 61 })
      await service.waitUntilProcessed(remaining)
      await hook.waitForDeliveries(1)
      await waitUntilNoDeliveryIsPending(service)
      expect(hook.deliveries.map(({ event }) => event.data.object.id)).toEqual([remaining])
    },
    'retrieve, complete, list and a second delete do not find a deleted session': async ({ service }) => {
      const site = `deleted-${performance.now()}`
      const created = await service.create(bytes, { site })
      const etags = await service.putParts(created.upload.parts, bytes, 1_000)
      await service.call('DELETE', `/v1/sessions/${created.id}`)
      expectError(await service.call('GET', `/v1/sessions/${created.id}`), 404, 'not_found')
      expectError(await service.complete(created.id, etags), 404, 'not_found')
      expectError(await service.call('DELETE', `/v1/sessions/${created.id}`), 404, 'not_found')
      expect((await service.call('GET', `/v1/sessions?site=${site}`)).json().data).toEqual([])
    },
    'deleting a session during its completion leaves no trace': async ({ service }) => {
      const content = patterned(400_000)
      const created = await service.create(content, { partSizeBytes: 100_000 })
      const etags = await service.putParts(created.upload.parts, content, 100_000)
      const [completed, deleted] = await Promise.all([
        service.complete(created.id, etags),
        service.call('DELETE', `/v1/sessions/${created.id}`),
      ])
      expect(deleted.status).toBe(200)
      expect([200, 404]).toContain(completed.status)
      expectError(await service.call('GET', `/v1/sessions/${created.id}`), 404, 'not_found')
      await service.waitUntilNoOrphans()
    },
  }),
]
