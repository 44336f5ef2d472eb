import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { refuseForeignPage } from '../../../server/local-caller.ts'

const request = (host: string, localPort: number, isTls: boolean) =>
  ({
    headers: { host },
    socket: { localPort, ...(isTls ? { encrypted: true } : {}) },
  }) as unknown as IncomingMessage

test('accepts a host without a port only on port 80 for http and port 443 for https', () => {
  expect(refuseForeignPage(request('localhost', 80, false))).toBeNull()
  expect(refuseForeignPage(request('localhost', 443, true))).toBeNull()
  expect(refuseForeignPage(request('localhost', 443, false))).not.toBeNull()
  expect(refuseForeignPage(request('localhost', 80, true))).not.toBeNull()
})
