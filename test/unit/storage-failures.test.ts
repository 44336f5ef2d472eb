import { expect, test } from 'vitest'
import { failureOfStorage } from '../../main/agent/service/storage-failures.ts'

const refusal = (message: string) =>
  failureOfStorage(
    {
      status: 400,
      headers: {},
      body: Buffer.from(`<Error><Code>Odd</Code><Message>${message}</Message></Error>`),
      whole: true,
    },
    (text) => text,
    0,
  )

/** 64 kB of the word "checksum" took a second and a half, and every part asks. */
test('of a message only its beginning is searched, however long it is', () => {
  const words = 'the checksum of the part did not match'
  expect(refusal(`${'x '.repeat(500)}${words}`)).toEqual({ kind: 'part-corrupt' })
  expect(refusal(`${'x '.repeat(5_000)}${words}`)).toMatchObject({ kind: 'rejected', code: 'Odd' })
})
