import { expect, test } from 'vitest'
import { answer, clientFor, httpServer, never } from './service-support.ts'

/** A cache between this PC and the service may store answers, although the requests carry an API key. */

const session = { id: 'ses_1', object: 'session', status: 'processed' }
const emptyList = { object: 'list', data: [], has_more: false }

test('makes caches ask the service before they answer', async () => {
  const cacheHeaders: (string | undefined)[] = []
  const base = await httpServer((request, response) => {
    cacheHeaders.push(request.headers['cache-control'])
    answer(response, 200, request.url?.includes('ses_1') === true ? session : emptyList)
  })
  const client = clientFor(base)
  expect((await client.retrieveSession('ses_1', never())).ok).toBe(true)
  expect((await client.listSessions({}, never())).ok).toBe(true)
  expect(cacheHeaders).toEqual(['no-cache', 'no-cache'])
})

test('marks an answer with an Age header as cached', async () => {
  let headers: Record<string, string> = {}
  const base = await httpServer((_, response) => answer(response, 200, session, headers))
  const client = clientFor(base)
  const isCached = async () => {
    const outcome = await client.retrieveSession('ses_1', never())
    return outcome.ok ? outcome.value.isCached === true : null
  }
  expect(await isCached()).toBe(false)
  headers = { age: '30' }
  expect(await isCached()).toBe(true)
})

test('ignores the rate limit of a cached answer', async () => {
  let headers: Record<string, string> = { age: '30', 'ratelimit-remaining': '0', 'ratelimit-reset': '600' }
  const base = await httpServer((_, response) => answer(response, 200, session, headers))
  const client = clientFor(base)
  expect((await client.retrieveSession('ses_1', never())).ok).toBe(true)
  headers = {}
  expect((await client.retrieveSession('ses_1', never())).ok).toBe(true)
})
