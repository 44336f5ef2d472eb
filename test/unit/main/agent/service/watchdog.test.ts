import { expect, test } from 'vitest'
import { createWatchdog } from '../../../../../main/agent/service/watchdog.ts'

const blockEventLoop = (ms: number) => {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}

test('fires if there is no activity', async () => {
  const { promise: fired, resolve: fire } = Promise.withResolvers<void>()
  createWatchdog(20, fire).arm()
  await fired
})

test.each(['arm', 'disarm'] as const)(
  'does not fire if there was activity while the event loop was blocked: %s',
  async (activity) => {
    let fired = false
    const watchdog = createWatchdog(50, () => {
      fired = true
    })
    watchdog.arm()
    // Both timers are due when the event loop continues: first the timeout, then the activity.
    setTimeout(watchdog[activity], 60)
    const { promise: settled, resolve: settle } = Promise.withResolvers<void>()
    setTimeout(() => setImmediate(settle), 60)
    blockEventLoop(120)
    await settled
    watchdog.disarm()
    expect(fired).toBe(false)
  },
)
