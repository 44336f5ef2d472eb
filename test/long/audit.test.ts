import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { collectOutput } from '../support/child-end.ts'

const script = path.resolve(import.meta.dirname, '../../scripts/audit.mjs')

/** The data of a package. npm requests it to find the versions that an advisory covers. */
const packageData = (name: string) => ({
  name,
  'dist-tags': { latest: '1.0.0' },
  versions: { '1.0.0': { name, version: '1.0.0' } },
})

/** Runs `npm run audit` with a registry that gives this answer to every request for advisories. */
const audit = async (status: number, body: unknown) => {
  const registry = createServer((request, response) => {
    const requestedPath = decodeURIComponent(request.url ?? '').slice(1)
    const answer = request.method === 'GET' ? packageData(requestedPath) : body
    request.resume().once('end', () => response.writeHead(status).end(JSON.stringify(answer)))
  })
  registry.listen(0, '127.0.0.1')
  await once(registry, 'listening')
  const cache = mkdtempSync(path.join(os.tmpdir(), 'sluice-audit-'))
  onTestFinished(() => {
    registry.closeAllConnections()
    registry.close()
    rmSync(cache, { recursive: true })
  })
  const child = spawn(process.execPath, [script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`,
      npm_config_cache: cache,
      npm_config_fetch_retries: '0',
    },
  })
  return collectOutput(child)
}

const advisory = (severity: string) => ({
  zod: [
    {
      id: 1,
      url: 'https://advisories.example/1',
      title: 'a simulated advisory',
      severity,
      vulnerable_versions: '*',
      cwe: [],
      cvss: { score: 0, vectorString: null },
    },
  ],
})

test.each([404, 405, 501])(
  '`npm run audit` reports a registry without audits (%i) in one line, and exits with 0',
  async (status) => {
    expect(await audit(status, {})).toEqual({
      code: 0,
      out: '',
      err: 'sluice: no audit: the registry does not offer audits or cannot be reached.\n',
    })
  },
)

test('`npm run audit` fails for a serious advisory, and names the package', async () => {
  const { code, out, err } = await audit(200, advisory('high'))
  expect(out).toMatch(/^high zod /m)
  expect(err).toMatch(/^sluice: \d+ packages have advisories, [1-9]\d* of them high or critical\.\n$/)
  expect(code).toBe(1)
})

test('`npm run audit` lists a minor advisory, and exits with 0', async () => {
  const { code, out } = await audit(200, advisory('low'))
  expect(out).toMatch(/^low zod /m)
  expect(code).toBe(0)
})
