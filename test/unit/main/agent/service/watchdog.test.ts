import { expect, test } from 'vitest'
import { createWatchdog } from '../../../../../main/agent/service/watchdog.ts'

const blockEventLoop = (ms: number) => {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('fires when no byte moves', async () => {
  const { promise: fired, resolve: fire } = Promise.withResolvers<void>()
  createWatchdog(20, fire).arm()
  await fired
})

test.each(['arm', 'disarm'] as const)(
  'activity during a blocked event loop counts before the timeout: %s',
  async (move) => {
    let fired = false
    const dog = createWatchdog(50, () => {
      fired = true
    })
    dog.arm()
    // Both are due when the event loop wakes up. The timer runs first, and the activity right after it.
    setTimeout(dog[move], 60)
    const { promise: settled, resolve: settle } = Promise.withResolvers<void>()
    setTimeout(() => setImmediate(settle), 60)
    blockEventLoop(120)
    await settled
    dog.disarm()
    expect(fired).toBe(false)
  },
)
