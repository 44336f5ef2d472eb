import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { findListenProblem } from '../../../../server/cli/check-address.ts'
import { readSettings } from '../../../../server/cli/settings.ts'
import { freePort } from '../../../support/back-ends/postgres.ts'

const settingsWith = (port: number, uploadPort: number) =>
  readSettings({
    flags: {
      database: 'postgres://lab@127.0.0.1/lab',
      bytes: pathToFileURL(tmpdir()).href,
      port: `${port}`,
      upload_port: `${uploadPort}`,
    },
    env: {},
    file: undefined,
  })

test('reports at once that a different program uses the upload port, although the check itself listens on the main port', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port: takenPort } = other.address() as AddressInfo
  const startedAtMs = performance.now()
  const problem = await findListenProblem(settingsWith(await freePort(), takenPort), false)
  expect(problem).toBe(`port ${takenPort} is taken by a different program`)
  // The check probes for a running server, and here reaches its own listener. A probe without an answer takes 5 s.
  expect(performance.now() - startedAtMs).toBeLessThan(4_500)
})
