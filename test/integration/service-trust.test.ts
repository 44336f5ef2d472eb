import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeCertificate, type TestCertificate } from '../support/certificate.ts'
import {
  answer,
  clientFor,
  collectLog,
  failureOf,
  httpServer,
  KEY,
  listen,
  never,
  partFor,
  rawServer,
} from './service-support.ts'

const certificate = makeCertificate('service.example', [127, 0, 0, 1], [0, 0, 0, 0])

/** A name for the server that only the proxy can resolve, because requests to an address of this PC use no proxy. */
const withRemoteName = (base: string) => base.replace('127.0.0.1', 'service.example')

const secureServer = async (testCertificate: TestCertificate, listener?: http.RequestListener) => {
  const server = https.createServer(
    { cert: testCertificate.cert, key: testCertificate.key },
    listener ?? ((request, response) => void request.resume().on('end', () => respond(request, response))),
  )
  return `https://127.0.0.1:${await listen(server)}`
}

const respond = (request: http.IncomingMessage, response: http.ServerResponse) =>
  request.method === 'PUT'
    ? response.writeHead(200, { etag: '"x"' }).end()
    : answer(response, 200, { data: [], has_more: false })

/**
 * A proxy that leads every tunnel to this PC, or refuses every tunnel if `status` is not 200. Records the headers of
 * each CONNECT request.
 */
const tunnelProxy = async (status = 200) => {
  const connectHeaders: http.IncomingHttpHeaders[] = []
  let requests = 0
  const server = http.createServer((_request, response) => {
    requests += 1
    response.writeHead(status).end()
  })
  server.on('connect', (request: http.IncomingMessage, socket: net.Socket) => {
    connectHeaders.push(request.headers)
    socket.on('error', () => {})
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)
    const target = new URL(`http://${request.url}`)
    const upstream = net.connect(Number(target.port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(socket).pipe(upstream)
    })
    upstream.on('error', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
  })
  return { url: `http://127.0.0.1:${await listen(server)}`, connectHeaders, requests: () => requests }
}

const setEnvironment = (values: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(values)) {
    const previousValue = process.env[name]
    process.env[name] = value
    onTestFinished(() => {
      if (previousValue === undefined) delete process.env[name]
      else process.env[name] = previousValue
    })
  }
}

describe('the client of the service over TLS', () => {
  test('refuses a private certificate without the CA file, and accepts it with the file', async () => {
    const base = await secureServer(certificate)
    const failure = failureOf(await clientFor(base).listSessions({}, never()))
    expect(failure).toMatchObject({ kind: 'certificate' })
    const trusting = clientFor(base, { caFile: certificate.certFile })
    expect((await trusting.listSessions({}, never())).ok).toBe(true)
    expect((await trusting.sendPart(partFor(base))).ok).toBe(true)
  })

  test('refuses a trusted certificate for a different name', async () => {
    const other = makeCertificate('other.example')
    const base = await secureServer(other)
    const failure = failureOf(await clientFor(base, { caFile: other.certFile }).listSessions({}, never()))
    expect(failure).toMatchObject({ kind: 'certificate' })
    expect(JSON.stringify(failure)).toContain('different name')
  })

  test('checks the certificates of service and proxy even if the environment disables such checks', async () => {
    setEnvironment({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })
    const base = await secureServer(certificate)
    expect(failureOf(await clientFor(base).listSessions({}, never())).kind).toBe('certificate')
    expect(failureOf(await clientFor(base).sendPart(partFor(base))).kind).toBe('certificate')
    const proxy = await tunnelProxy()
    const proxiedClient = clientFor(withRemoteName(base), { proxy: { kind: 'url', url: proxy.url } })
    expect(failureOf(await proxiedClient.listSessions({}, never())).kind).toBe('certificate')
    const behindTls = clientFor(withRemoteName(base), { proxy: { kind: 'url', url: base } })
    expect(failureOf(await behindTls.listSessions({}, never())).kind).toBe('certificate')
  })

  test.each([
    ['/no/such/file.pem', 'ENOENT'],
    [import.meta.filename, 'no PEM'],
  ])(
    'reports an unusable CA file at the start and with each certificate failure: %s',
    async (caFile, expectedText) => {
      const base = await secureServer(certificate)
      const { log, lines } = collectLog()
      const failure = failureOf(await clientFor(base, { caFile, log }).listSessions({}, never()))
      expect(failure.kind).toBe('certificate')
      expect(JSON.stringify(failure)).toContain(expectedText)
      expect(lines.join()).toContain(expectedText)
    },
  )

  test('reports a server that answers without TLS at an https address as a network failure', async () => {
    const plainServer = await httpServer((_request, response) => void response.end())
    const failure = failureOf(
      await clientFor(plainServer.replace('http:', 'https:')).listSessions({}, never()),
    )
    expect(failure).toMatchObject({ kind: 'network' })
  })

  test('reads a refusal that arrives before the part is fully sent', async () => {
    const base = await secureServer(certificate, (request, response) => {
      response.writeHead(403, { connection: 'close' }).end('<Error><Code>ExpiredToken</Code></Error>', () => {
        request.socket.destroySoon()
      })
    })
    const client = clientFor(base, { caFile: certificate.certFile })
    const outcome = await client.sendPart(partFor(base, { sizeBytes: 64 * 1024 * 1024 }))
    expect(failureOf(outcome)).toEqual({ kind: 'url-expired' })
  })

  test('throws for an http address that is not on this PC', () => {
    expect(() => clientFor('http://service.example')).toThrow(TypeError)
  })
})

describe('the client of the service behind a proxy', () => {
  test('sends calls and parts through the tunnel, so the proxy never sees the key', async () => {
    const base = withRemoteName(await secureServer(certificate))
    const proxy = await tunnelProxy()
    const url = proxy.url.replace('://', '://user:pass@')
    const client = clientFor(base, { proxy: { kind: 'url', url }, caFile: certificate.certFile })
    expect((await client.listSessions({}, never())).ok).toBe(true)
    expect((await client.sendPart(partFor(base))).ok).toBe(true)
    expect(proxy.connectHeaders.length).toBeGreaterThan(0)
    expect(proxy.connectHeaders[0]?.['proxy-authorization']).toBe(`Basic ${btoa('user:pass')}`)
    expect(JSON.stringify(proxy.connectHeaders)).not.toContain(KEY)
  })

  test('uses the proxy that the environment names, except for hosts in `no_proxy`', async () => {
    const base = withRemoteName(await secureServer(certificate))
    const proxy = await tunnelProxy()
    setEnvironment({ https_proxy: proxy.url, no_proxy: '' })
    const options = { proxy: { kind: 'environment' }, caFile: certificate.certFile } as const
    expect((await clientFor(base, options).listSessions({}, never())).ok).toBe(true)
    expect(proxy.connectHeaders).toHaveLength(1)
    // This address is not loopback, but reaches this PC without a name lookup.
    setEnvironment({ no_proxy: '0.0.0.0' })
    const excepted = clientFor(base.replace('service.example', '0.0.0.0'), options)
    expect((await excepted.listSessions({}, never())).ok).toBe(true)
    expect(proxy.connectHeaders).toHaveLength(1)
  })

  test.each([
    [407, 'proxy-sign-in'],
    [403, 'network'],
    [502, 'network'],
  ])('reports a tunnel that the proxy refuses with %i', async (status, kind) => {
    const base = withRemoteName(await secureServer(certificate))
    const proxy = await tunnelProxy(status)
    const client = clientFor(base, { proxy: { kind: 'url', url: proxy.url }, caFile: certificate.certFile })
    expect(failureOf(await client.listSessions({}, never())).kind).toBe(kind)
    expect(failureOf(await client.sendPart(partFor(base))).kind).toBe(kind)
  })

  test.each([
    ['the settings', () => ({})],
    [
      'the environment',
      (url: string) => ({ http_proxy: url, https_proxy: url, HTTP_PROXY: url, no_proxy: '' }),
    ],
  ])('uses no proxy for requests to this PC, even if %s names one', async (source, environment) => {
    const proxy = await tunnelProxy()
    const directRequests: string[] = []
    const plainServer = await httpServer((request, response) => {
      directRequests.push(`${request.method} ${request.headers.host}`)
      request.resume().on('end', () => respond(request, response))
    })
    setEnvironment(environment(proxy.url))
    const choice =
      source === 'the settings'
        ? ({ kind: 'url', url: proxy.url } as const)
        : ({ kind: 'environment' } as const)
    for (const base of [
      plainServer,
      plainServer.replace('127.0.0.1', 'localhost'),
      plainServer.replace('127.0.0.1', '127.1'),
    ]) {
      const client = clientFor(base, { proxy: choice })
      expect((await client.listSessions({}, never())).ok).toBe(true)
      expect((await client.sendPart(partFor(base))).ok).toBe(true)
    }
    const secure = await secureServer(certificate)
    const client = clientFor(secure, { proxy: choice, caFile: certificate.certFile })
    expect((await client.listSessions({}, never())).ok).toBe(true)
    expect(directRequests).toHaveLength(6)
    expect(proxy.connectHeaders).toEqual([])
    expect(proxy.requests()).toBe(0)
  })

  test('reports a proxy that closes the connection, and one that never answers', async () => {
    const base = withRemoteName(await secureServer(certificate))
    const closingProxy = await rawServer((socket) => void socket.destroy())
    const silentProxy = await rawServer(() => {})
    const clientThrough = (url: string) =>
      clientFor(base, { proxy: { kind: 'url', url }, idleTimeoutMs: 300 })
    expect(failureOf(await clientThrough(closingProxy).listSessions({}, never())).kind).toBe('network')
    expect(failureOf(await clientThrough(silentProxy).listSessions({}, never())).kind).toBe('timeout')
  })

  test('cancels running requests at a reconnect', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    const base = withRemoteName(await secureServer(certificate, () => arrive()))
    const proxy = await tunnelProxy()
    const client = clientFor(base, { proxy: { kind: 'url', url: proxy.url }, caFile: certificate.certFile })
    const waiting = client.listSessions({}, never())
    await arrived
    client.reconnect()
    expect(failureOf(await waiting).kind).toBe('cancelled')
  })
})
