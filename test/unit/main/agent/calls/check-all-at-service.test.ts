import { expect, test } from 'vitest'
import { checkAllAtService } from '../../../../../main/agent/calls/check-all-at-service.ts'
import type { ServiceVerifyResult, VerifyResult } from '../../../../../main/agent/calls/verify-receipt.ts'
import type { ReceiptEntry } from '../../../../../shared/status/receipt.ts'

const entries = Array.from({ length: 10 }, (_, at) => ({ path: `/${at}` })) as unknown as ReceiptEntry[]
const agrees: VerifyResult = { verdict: 'agrees', what: 'processed', sentence: '' }
const unanswered: VerifyResult = { verdict: 'unchecked', what: 'no-answer', sentence: 'no' }

const checkAll = async (answer: (path: string, attempt: number) => ServiceVerifyResult) => {
  const requests: string[] = []
  const waits: number[] = []
  const results = await checkAllAtService(entries, {
    checkEntry: async ({ path }) => {
      requests.push(path)
      return answer(path, requests.filter((each) => each === path).length)
    },
    sleep: async () => {},
    onWait: (ms) => waits.push(ms),
  })
  return { results, requests, waits }
}

test('if several requests must be repeated later, Sluice waits once for all of them', async () => {
  const { results, waits } = await checkAll((path, attempt) =>
    attempt === 1 && path <= '/3'
      ? { result: unanswered, next: { waitMs: 7_000 } }
      : { result: agrees, next: 'go-on' },
  )
  expect(results).toEqual(entries.map(() => agrees))
  expect(waits).toEqual([7_000])
})

test('sends no further requests after one that the service does not answer', async () => {
  const { results, requests } = await checkAll(() => ({ result: unanswered, next: 'stop' }))
  expect(results).toEqual(entries.map(() => unanswered))
  expect(requests.length).toBeLessThanOrEqual(4)
})

test('stops after 15 minutes of waiting, with a verdict for each recording', async () => {
  const { results, waits } = await checkAll(() => ({ result: unanswered, next: { waitMs: 60_000 } }))
  expect(results).toEqual(entries.map(() => unanswered))
  expect(waits).toHaveLength(15)
})
