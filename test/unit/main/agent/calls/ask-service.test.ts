import { expect, test } from 'vitest'
import { askService } from '../../../../../main/agent/calls/ask-service.ts'
import type { ServiceSide, Side } from '../../../../../main/agent/calls/verify-receipt.ts'
import type { ReceiptEntry } from '../../../../../shared/status/receipt.ts'

const entries = Array.from({ length: 10 }, (_, at) => ({ path: `/${at}` })) as unknown as ReceiptEntry[]
const agrees: Side = { verdict: 'agrees', what: 'processed', sentence: '' }
const unanswered: Side = { verdict: 'unchecked', what: 'no-answer', sentence: 'no' }

const asked = async (answer: (path: string, time: number) => ServiceSide) => {
  const questions: string[] = []
  const waits: number[] = []
  const sides = await askService(entries, {
    ask: async ({ path }) => {
      questions.push(path)
      return answer(path, questions.filter((each) => each === path).length)
    },
    sleep: async () => {},
    onWait: (ms) => waits.push(ms),
  })
  return { sides, questions, waits }
}

test('a service that asks to wait is waited for once by all, and then asked the same again', async () => {
  const { sides, waits } = await asked((path, time) =>
    time === 1 && path <= '/3'
      ? { side: unanswered, next: { waitMs: 7_000 } }
      : { side: agrees, next: 'go-on' },
  )
  expect(sides).toEqual(entries.map(() => agrees))
  expect(waits).toEqual([7_000])
})

test('nobody is asked any more once nobody answers', async () => {
  const { sides, questions } = await asked(() => ({ side: unanswered, next: 'stop' }))
  expect(sides).toEqual(entries.map(() => unanswered))
  expect(questions.length).toBeLessThanOrEqual(4)
})

test('a service that asks to wait for ever is given up after a quarter of an hour, and each has its verdict', async () => {
  const { sides, waits } = await asked(() => ({ side: unanswered, next: { waitMs: 60_000 } }))
  expect(sides).toEqual(entries.map(() => unanswered))
  expect(waits).toHaveLength(15)
})
