import { describe, expect, onTestFinished, test } from 'vitest'
import { send } from '../contract/raw-http.ts'
import { expectError } from '../contract/service.ts'
import { LabService, openEmbedded } from '../support/lab-page/lab-service.ts'
import { testLabRoutes } from '../support/lab-page/lab-suite.ts'
import { ipv6Loopback, needs } from '../support/needs.ts'
import { get, makeFolder, start } from './server-support.ts'

describe('the routes of the page on SQLite and files', () => {
  testLabRoutes(openEmbedded)
})

const startLab = async (): Promise<LabService> => {
  const lab = await LabService.start(await openEmbedded())
  onTestFinished(() => lab.close())
  return lab
}

describe('the page of the server', () => {
  test('is at the path `/`, without inline code and without foreign resources', async () => {
    const { baseUrl } = await start(await makeFolder())
    const page = await get(`${baseUrl}/`)
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/)
    expect(page.headers['x-frame-options']).toBe('DENY')
    expect(page.text).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|https?:\/\//)
    const assets = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!)
    expect(assets.length).toBeGreaterThan(2)
    for (const address of assets) {
      expect(address).toMatch(/^\/page\/assets\//)
      const asset = await get(`${baseUrl}${address}`)
      expect([asset.status, asset.headers['x-content-type-options']]).toEqual([200, 'nosniff'])
      expect(asset.headers['cache-control']).toContain('immutable')
    }
  })

  test('changes no answer of the contract: paths and methods outside the page stay 404 or 401 in JSON', async () => {
    const lab = await startLab()
    const others = [
      ['POST', '/'],
      ['DELETE', '/'],
      ['GET', '//'],
      ['GET', '/index.html'],
      ['GET', '/page'],
      ['GET', '/page/'],
      ['GET', '/page/index.html'],
      ['GET', '/page/assets/'],
      ['GET', '/page/assets/none.js'],
      ['GET', '/page/assets/../index.html'],
      ['GET', '/page/assets/%2e%2e/%2e%2e/server-cli.js'],
      ['GET', '/page/downloads/'],
      ['POST', '/page/account'],
      ['DELETE', '/page/sessions/ses_1'],
      ['GET', '/favicon.ico'],
      ['GET', '/v1'],
      ['GET', '/v1/stations'],
    ] as const
    for (const [method, path] of others) {
      const answer = await lab.call(method, path)
      expectError(answer, 404, 'not_found', 'route_not_found')
      expect(answer.headers['ratelimit-limit'], path).toBeDefined()
      expectError(await lab.call(method, path, null), 401, 'authentication', 'key_missing')
    }
  })

  const acceptsOnlyItsOwnPage = async (...flags: string[]) => {
    const { baseUrl, key } = await start(await makeFolder(), ...flags)
    const { host, port } = new URL(baseUrl)
    const status = async (headers: Record<string, string>, path = '/page/account') =>
      (
        await send({
          method: 'GET',
          url: `${baseUrl}${path}`,
          headers: { authorization: `Bearer ${key}`, ...headers },
        })
      ).status
    expect(await status({ 'sec-fetch-site': 'same-origin' })).toBe(200)
    expect(await status({ origin: `http://${host}`, 'sec-fetch-site': 'same-origin' })).toBe(200)
    const foreignHeaders: Record<string, string>[] = [
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
      { origin: 'https://page.example' },
      { origin: `http://127.0.0.1:${Number(port) + 1}` },
      { origin: `http://rebound.example:${port}`, host: `rebound.example:${port}` },
      { host: `rebound.example:${port}`, 'sec-fetch-site': 'same-origin' },
    ]
    for (const headers of foreignHeaders)
      for (const path of ['/page/account', '/v1/sessions', '/page/downloads/ses_1'])
        expect(await status(headers, path), JSON.stringify(headers)).toBe(403)
  }
  test('is the only page whose requests the server accepts on loopback', () => acceptsOnlyItsOwnPage())
  test('is the only page whose requests the server accepts on IPv6 loopback', needs(ipv6Loopback), () =>
    acceptsOnlyItsOwnPage('--host', '::1'),
  )

  test('ends a download if the client disconnects, and still serves the next download', async () => {
    const lab = await startLab()
    const bytes = Buffer.alloc(8_000_000, 'x')
    const id = await lab.upload(bytes, { part_size: bytes.length })
    const { url } = (await lab.call('GET', `/page/sessions/${id}/download`)).json() as { url: string }
    const abort = new AbortController()
    const answer = await fetch(`${lab.baseUrl}${url}`, { signal: abort.signal })
    await answer.body!.getReader().read()
    abort.abort()
    await expect.poll(() => lab.log.join('\n')).toContain(`GET /page/downloads/${id} aborted`)
    expect((await (await fetch(`${lab.baseUrl}${url}`)).arrayBuffer()).byteLength).toBe(bytes.length)
  })
})
