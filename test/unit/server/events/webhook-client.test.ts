import { expect, onTestFinished, test, vi } from 'vitest'
import { WebhookClient } from '../../../../server/events/webhook-client.ts'
import { startWebhookReceiver } from '../../../contract/webhook-receiver.ts'

test('the time to load the HTTP client does not count against the time limit of the receiver', async () => {
  const hook = await startWebhookReceiver()
  const { promise: isLoaded, resolve: finishLoading } = Promise.withResolvers<void>()
  const client = new WebhookClient('internet-and-loopback', undefined, () =>
    isLoaded.then(() => import('undici')),
  )
  onTestFinished(async () => {
    vi.useRealTimers()
    await client.close()
    await hook.close()
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const result = client.post(hook.url, { body: '{}', headers: {}, signal: new AbortController().signal })
  await vi.advanceTimersByTimeAsync(60_000)
  finishLoading()
  expect(await result).toEqual({ status: 204 })
})

test('a connection that fails has a reason without the URL', async () => {
  const hook = await startWebhookReceiver()
  await hook.close()
  const client = new WebhookClient('internet-and-loopback')
  onTestFinished(() => client.close())
  const url = `${hook.url}?token=secret`
  const signal = new AbortController().signal
  expect(await client.post(url, { body: '{}', headers: {}, signal })).toEqual({ reason: 'ECONNREFUSED' })
})
