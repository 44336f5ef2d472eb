import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { withStation } from '../../support/second-service/with-station.ts'
import { PART } from '../../support/station.ts'

const content = Buffer.from('a recording')
const sha256 = createHash('sha256').update(content)
const newSession = {
  site: 'lab',
  filename: 'a.bin',
  bytes: content.length,
  sha256: sha256.copy().digest('hex'),
}

type Created = { readonly id: string; readonly upload: { readonly parts: { readonly url: string }[] } }

it('a second implementation of the service processes recordings of one part and of several', () =>
  withStation(async (station) => {
    const files = [station.record('one.bin'), station.record('three.bin', 2 * PART + 100)]
    expect(await station.run('--until-idle').ended).toBe(0)
    await station.expectFilesSafe(files)
  }))

it('the second implementation follows the contract: idempotency keys, checksums, ETags, conflicts, pages and headers', () =>
  withStation(async ({ service }) => {
    const call = (method: string, route: string, body?: object, key?: string): Promise<Response> =>
      fetch(service.baseUrl + route, {
        method,
        headers: {
          authorization: `Bearer ${service.apiKey}`,
          'content-type': 'application/json',
          ...(key === undefined ? {} : { 'Idempotency-Key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    const create = async (key: string): Promise<Created> =>
      (await (await call('POST', '/v1/sessions', newSession, key)).json()) as Created

    const first = await create('key-1')
    expect(await create('key-1'), '§8: the original response').toEqual(first)
    const second = await create('key-2')
    expect(second.id).not.toBe(first.id)

    const url = first.upload.parts[0]?.url ?? ''
    const put = (checksum: string): Promise<Response> =>
      fetch(url, { method: 'PUT', body: content, headers: { 'x-any-checksum-sha256': checksum } })
    expect((await put('d3Jvbmc=')).status).toBe(400)
    const etag = (await put(sha256.copy().digest('base64'))).headers.get('etag')
    const route = `/v1/sessions/${first.id}`
    const parts = [{ number: 1, etag }]
    expect(await (await call('GET', route)).json()).toMatchObject({ upload: { parts: [] } })
    expect((await call('POST', `${route}/complete`, { parts: [{ number: 1, etag: 'x' }] })).status).toBe(400)
    expect(await (await call('POST', `${route}/complete`, { parts }, 'key-3')).json()).toMatchObject({
      id: first.id,
      status: 'processing',
    })
    expect((await call('POST', `${route}/complete`, { parts }, 'key-3')).status, 'repeated').toBe(200)

    const secondCompletion = await call('POST', `${route}/complete`, { parts }, 'key-4')
    expect(secondCompletion.status).toBe(409)
    const requestId = secondCompletion.headers.get('request-id')
    expect(await secondCompletion.json()).toMatchObject({
      error: { type: 'conflict', request_id: requestId },
    })
    for (const name of ['request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'date'])
      expect(secondCompletion.headers.get(name), name).not.toBeNull()

    const page = async (query: string) =>
      (await (await call('GET', `/v1/sessions?site=lab&limit=1${query}`)).json()) as {
        data: { id: string }[]
        has_more: boolean
        next_cursor: string
      }
    const newest = await page('')
    const oldest = await page(`&cursor=${newest.next_cursor}`)
    expect([newest.data[0]?.id, newest.has_more]).toEqual([second.id, true])
    expect([oldest.data[0]?.id, oldest.has_more]).toEqual([first.id, false])
  }))
