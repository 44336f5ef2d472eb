import { expect, test } from 'vitest'
import { failureOfStorage } from '../../../../../main/agent/service/storage-failures.ts'

const failureWithMessage = (message: string) =>
  failureOfStorage(
    {
      status: 400,
      headers: {},
      body: Buffer.from(`<Error><Code>Odd</Code><Message>${message}</Message></Error>`),
      isWhole: true,
    },
    (text) => text,
    0,
  )

/** Without a limit, searching 64 kB of the word "checksum" would take 1.5 s for every failed part. */
test('Sluice searches only the beginning of a long error message of the storage', () => {
  const words = 'the checksum of the part did not match'
  expect(failureWithMessage(`${'x '.repeat(500)}${words}`)).toEqual({ kind: 'part-corrupt' })
  expect(failureWithMessage(`${'x '.repeat(5_000)}${words}`)).toMatchObject({ kind: 'rejected', code: 'Odd' })
})

test('a wrong clock at the storage is a temporary failure of the storage', () => {
  const answer = {
    status: 403,
    headers: {},
    body: Buffer.from('<Error><Code>RequestTimeTooSkewed</Code><Message>too far</Message></Error>'),
    isWhole: true,
  }
  expect(failureOfStorage(answer, (text) => text, 0)).toMatchObject({ kind: 'service', origin: 'storage' })
})

test('shortens a huge request ID and removes its control characters', () => {
  const headers = { 'x-amz-request-id': `ab\u001b[2J${'c'.repeat(100_000)}` }
  const failure = failureOfStorage(
    { status: 500, headers, body: Buffer.alloc(0), isWhole: true },
    (text) => text,
    0,
  )
  expect(failure).toMatchObject({ requestId: expect.stringMatching(/^ab\[2Jc{190,200}$/) })
})
