import { beforeAll, expect, test } from 'vitest'
import { send } from './raw-http.ts'
import { launch, type SandboxProcess } from './sandbox-process.ts'
import { expectError, expectStorageError, patterned, Service } from './service.ts'

/*
 * Any web page in a browser on this computer can send requests to loopback. If the page's host name resolves to
 * loopback, the page may even read the answer.
 */

let sandbox: SandboxProcess
let service: Service
beforeAll(async () => {
  sandbox = await launch('--min-part-size', '1000', '--control')
  service = new Service(sandbox)
  return () => sandbox.stop()
})

const portOf = (url: string) => new URL(url).port

const foreignCallers: readonly [string, (port: string) => Record<string, string>][] = [
  ['a name that resolves to this computer', (port) => ({ host: `rebound.example:${port}` })],
  ['a name that begins like our address', (port) => ({ host: `127.0.0.1.example.com:${port}` })],
  ['a different port', (port) => ({ host: `127.0.0.1:${Number(port) - 1}` })],
  ['a host without a port', () => ({ host: '127.0.0.1' })],
  ['a LAN address', (port) => ({ host: `192.168.1.5:${port}` })],
  ['an invalid host', (port) => ({ host: `user@127.0.0.1:${port}` })],
  ['a page of a different site', () => ({ origin: 'https://page.example' })],
  ['a page with an opaque origin', () => ({ origin: 'null' })],
  ['a page on this computer', (port) => ({ origin: `http://127.0.0.1:${port}` })],
  ['a picture in a page', () => ({ 'sec-fetch-site': 'cross-site' })],
]

test.each(foreignCallers)('the control API refuses %s, even with a key', async (_, foreignHeaders) => {
  const headers = foreignHeaders(portOf(sandbox.baseUrl))
  const before = await service.operate('GET', '/stats')
  expectError(await service.call('GET', '/v1/sessions', { headers }), 403, 'permission', 'caller_not_allowed')
  expect(await service.operate('GET', '/stats')).toEqual(before)
})

test.each(foreignCallers)('the storage refuses %s, even with a signed URL', async (_, foreignHeaders) => {
  const bytes = patterned(10)
  const { upload } = await service.create(bytes)
  const url = upload.parts[0]!.url
  expectStorageError(await service.put(url, bytes, foreignHeaders(portOf(url))), 403, 'AccessDenied')
  expect((await service.put(url, bytes)).status).toBe(200)
})

test.each(foreignCallers)(
  'the sandbox’s control endpoint refuses %s, even with the required header',
  async (_, foreignHeaders) => {
    const url = `${sandbox.controlUrl}/expire-urls`
    const headers = { 'sluice-sandbox-control': '1', ...foreignHeaders(portOf(url)) }
    expect((await send({ method: 'POST', url, headers })).status).toBe(403)
  },
)

test('without the required header, the sandbox’s control endpoint refuses plain text, a form, JSON and a GET', async () => {
  const { controlUrl } = sandbox
  const fault = JSON.stringify({ route: 'list', effect: { kind: 'status', status: 503 } })
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
    const headers = { 'content-type': type }
    const answer = await send({ method: 'POST', url: `${controlUrl}/faults`, headers, body: fault })
    expect([answer.status, answer.json()]).toEqual([
      403,
      { error: 'Send the header "Sluice-Sandbox-Control: 1".' },
    ])
  }
  for (const path of ['/stats', '/clock', '/files'])
    expect((await send({ method: 'GET', url: controlUrl + path })).status).toBe(403)
  expect((await service.call('GET', '/v1/sessions')).status).toBe(200)
})

test('the sandbox refuses preflight requests of browsers', async () => {
  for (const url of [sandbox.baseUrl, sandbox.uploadUrl, sandbox.controlUrl]) {
    const headers = {
      origin: 'https://page.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'sluice-sandbox-control',
    }
    const answer = await send({ method: 'OPTIONS', url, headers })
    expect(answer.status).toBe(403)
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  }
})

test('the control API accepts localhost and both loopback addresses as its host', async () => {
  const port = portOf(sandbox.baseUrl)
  for (const host of [`localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`, `127.0.0.1:${port}`])
    expect((await service.call('GET', '/v1/sessions', { headers: { host } })).status, host).toBe(200)
})
