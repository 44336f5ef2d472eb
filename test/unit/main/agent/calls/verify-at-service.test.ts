import { expect, test } from 'vitest'
import { checkService } from '../../../../../main/agent/calls/verify-receipt.ts'
import { done } from '../../../../../main/agent/domain/failure.ts'
import type { RemoteSession, ServiceClient } from '../../../../../main/agent/ports/service.ts'
import type { ReceiptEntry } from '../../../../../shared/status/receipt.ts'

const SHA256 = 'ab'.repeat(32)
const entry = { session_id: 'ses_1', service: null, sha256: SHA256, bytes: 7 } as ReceiptEntry

const verdictFor = async (shown: Partial<RemoteSession>) => {
  const session = { status: 'processed', sha256: SHA256, bytes: 7, ...shown } as RemoteSession
  const service = {
    retrieveSession: async () => done({ value: session, requestId: null }),
  } as unknown as ServiceClient
  const { result } = await checkService(
    entry,
    service,
    'https://api.example.com',
    new AbortController().signal,
  )
  return result.verdict
}

test('the verdict is `agrees` only for a processed session with the same size and SHA-256', async () => {
  expect(await verdictFor({})).toBe('agrees')
  expect(await verdictFor({ status: 'processing' })).toBe('differs')
  expect(await verdictFor({ sha256: 'cd'.repeat(32) })).toBe('differs')
  expect(await verdictFor({ bytes: 8 })).toBe('differs')
  expect(await verdictFor({ sha256: null })).toBe('unchecked')
  expect(await verdictFor({ bytes: null })).toBe('unchecked')
})
