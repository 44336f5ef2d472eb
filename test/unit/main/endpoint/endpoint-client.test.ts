import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { greet } from '../../../../main/endpoint/endpoint-client.ts'
import { frameOf } from '../../../../main/endpoint/frames.ts'
import { needs, posix } from '../../../support/needs.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'sluice-endpoint-client-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a server that speaks before its owner is known is refused', needs(posix), async () => {
  const place = { path: path.join(folder, 'agent.sock'), token: null }
  const greeting = { kind: 'refused', message: 'a message from a stranger' }
  const server = createServer((socket) => socket.write(frameOf(greeting)))
  await new Promise<void>((resolve) => server.listen(place.path, resolve))
  try {
    await expect(greet(place, () => false, { version: '1', clientIs: 'a window' })).rejects.toThrow(
      'A program that is not a Sluice agent answers for this station.',
    )
  } finally {
    server.close()
  }
})
