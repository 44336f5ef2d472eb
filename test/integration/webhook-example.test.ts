import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../support/station.ts'
import { deliver, eventBody } from '../support/webhooks/deliver.ts'

const root = path.join(import.meta.dirname, '../..')
const guide = readFileSync(path.join(root, 'docs/admin-guide.md'), 'utf8')
const SECRET = 'whsec_of-the-guide'

let folder: string
let child: ChildProcess
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-example-'))
})
afterEach(() => {
  child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

test('the receiver in the admin guide runs as written, and needs no other file of Sluice than the verifier', async () => {
  const example = /```ts\n([\s\S]*?)```/.exec(guide)?.[1]
  if (example === undefined) throw new Error('the guide has no example')
  mkdirSync(path.join(folder, 'shared/webhook-verifier'), { recursive: true })
  copyFileSync(
    path.join(root, 'shared/webhook-verifier/verify-webhook.ts'),
    path.join(folder, 'shared/webhook-verifier/verify-webhook.ts'),
  )
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(path.join(folder, 'receiver.ts'), example)
  writeFileSync(
    path.join(folder, 'start.ts'),
    "import { server } from './receiver.ts'\nserver.listen(0, '127.0.0.1', () => console.log('at', server.address().port))\n",
  )
  child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path.join(folder, 'start.ts')], {
    env: { ...process.env, WEBHOOK_SECRET: SECRET },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  while (!/at \d+/.test(output)) await once(child.stdout!, 'data')
  const port = Number(/at (\d+)/.exec(output)?.[1])
  const body = eventBody('evt_1', 'ses_1')
  expect(await deliver(port, SECRET, body)).toEqual({ status: 204, body: '' })
  expect(await deliver(port, SECRET, body)).toEqual({ status: 204, body: '' })
  expect(await deliver(port, 'whsec_another', body)).toEqual({ status: 401, body: '' })
  // The receiver prints to a pipe, so its output may arrive after its answer.
  await until('the refusal is printed', () => output.includes('refused: signature-wrong'))
  expect(output.match(/session\.processed ses_1/g)).toHaveLength(1)
})
