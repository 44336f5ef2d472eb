import { get as httpGet, type IncomingMessage, type RequestOptions } from 'node:http'
import { createServer, type Server } from 'node:net'
import { isLoopback } from '../loopback.ts'
import { probeContentType } from './probes.ts'
import type { Settings } from './settings.ts'

const probeTimeoutMs = 5_000

export function findAddressProblem({ host, uploadUrl, tls }: Settings): string | null {
  if (uploadUrl === null) return null
  if (!isLoopback(host) && isLoopback(new URL(uploadUrl).hostname))
    return 'upload_url works only on this computer'
  if (tls === null && !isLoopback(host) && uploadUrl.startsWith('http:'))
    return 'keys and recordings travel unencrypted: use TLS here or in a proxy'
  return null
}

/**
 * Opens each port for a moment, to find out whether it is free. A port that this server already uses is no problem.
 * With a shared back end, any Sluice server that answers on `port` counts as this server.
 */
export async function findListenProblem(settings: Settings, isRunning: boolean): Promise<string | null> {
  const { host, port, uploadPort, metricsPort } = settings
  const addresses = [
    { host, port },
    { host, port: uploadPort },
    { host: '127.0.0.1', port: metricsPort ?? 0 },
  ].filter((address) => address.port !== 0)
  const servers: Server[] = []
  try {
    for (const address of addresses) {
      // Close connections at once, because they would keep the command running.
      const server = createServer((socket) => socket.destroy())
      const code = await listenOrFail(server, address)
      if (code === null) servers.push(server)
      else if (code !== 'EADDRINUSE' || !(await isOwnServer(settings, isRunning)))
        return sentenceFor(code, address)
    }
    return null
  } finally {
    for (const server of servers) server.close()
  }
}

type Address = { readonly host: string; readonly port: number }

/** Returns the code of the error, or null. */
function listenOrFail(server: Server, { host, port }: Address): Promise<string | null> {
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(port, host, () => resolve(null))
  })
}

function sentenceFor(code: string, { host, port }: Address): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is taken by a different program`
    case 'EACCES':
      return `this user may not open port ${port}`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this computer`
    default:
      return `port ${port} of ${host} cannot be opened: ${code}`
  }
}

async function isOwnServer(settings: Settings, isRunning: boolean): Promise<boolean> {
  if (settings.backEnd.kind === 'embedded' && !isRunning) return false
  const { host, port, tls } = settings
  const target = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const options = { host: target, port, path: '/healthz', timeout: probeTimeoutMs, agent: false }
  const { get: httpsGet } = await import('node:https')
  return new Promise((resolve) => {
    const answer = (response: IncomingMessage) => {
      response.resume()
      resolve(response.statusCode === 200 && response.headers['content-type'] === probeContentType)
    }
    const request =
      tls === null
        ? httpGet(options satisfies RequestOptions, answer)
        : // Accepts any certificate, because it may name a different host. The request contains no secret.
          httpsGet({ ...options, rejectUnauthorized: false }, answer)
    request.once('timeout', () => request.destroy())
    request.once('error', () => resolve(false))
  })
}
