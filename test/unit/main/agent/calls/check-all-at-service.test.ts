import { expect, test } from 'vitest'
import { checkAllAtService } from '../../../../../main/agent/calls/check-all-at-service.ts'
import type { ServiceSide, Side } from '../../../../../main/agent/calls/verify-receipt.ts'
import type { ReceiptEntry } from '../../../../../shared/status/receipt.ts'

const entries = Array.from({ length: 10 }, (_, at) => ({ path: `/${at}` })) as unknown as ReceiptEntry[]
const agrees: Side = { verdict: 'agrees', what: 'processed', sentence: '' }
const unanswered: Side = { verdict: 'unchecked', what: 'no-answer', sentence: 'no' }

const requestAll = async (answer: (path: string, time: number) => ServiceSide) => {
  const requests: string[] = []
  const waits: number[] = []
  const sides = await checkAllAtService(entries, {
    checkEntry: async ({ path }) => {
      requests.push(path)
      return answer(path, requests.filter((each) => each === path).length)
    },
    sleep: async () => {},
    onWait: (ms) => waits.push(ms),
  })
  return { sides, requests, waits }
}

test('all requests wait the delay that the service asks for once, then repeat', async () => {
  const { sides, waits } = await requestAll((path, time) =>
    time === 1 && path <= '/3'
      ? { side: unanswered, next: { waitMs: 7_000 } }
      : { side: agrees, next: 'go-on' },
  )
  expect(sides).toEqual(entries.map(() => agrees))
  expect(waits).toEqual([7_000])
})

test('sends no more requests once the service fails to answer', async () => {
  const { sides, requests } = await requestAll(() => ({ side: unanswered, next: 'stop' }))
  expect(sides).toEqual(entries.map(() => unanswered))
  expect(requests.length).toBeLessThanOrEqual(4)
})

test('gives up after a quarter of an hour of waiting, with a verdict for each recording', async () => {
  const { sides, waits } = await requestAll(() => ({ side: unanswered, next: { waitMs: 60_000 } }))
  expect(sides).toEqual(entries.map(() => unanswered))
  expect(waits).toHaveLength(15)
})
