import { afterEach, expect, test, vi } from 'vitest'
import { Server } from '../../../../../renderer/lab-page/data/server.ts'

afterEach(() => vi.unstubAllGlobals())

const errorFor = async (status: number, body: string) => {
  vi.stubGlobal('fetch', async () => new Response(body, { status }))
  return new Server('key').get('/v1/sessions').catch((error: Error) => error.message)
}

test('names an answer that is not JSON, the message of the server, or the status', async () => {
  expect(await errorFor(200, '<h1>Sign in</h1>')).toBe(
    'The answer cannot be read: it is incomplete, or not from the server. Check the address and the proxy.',
  )
  expect(await errorFor(400, '{"error": {"message": "Unknown site."}}')).toBe('Unknown site.')
  expect(await errorFor(502, '<h1>Bad gateway</h1>')).toBe(
    'The server answers with status 502. Try again later.',
  )
})
