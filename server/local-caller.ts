import type { IncomingMessage } from 'node:http'
import { isLoopback } from './loopback.ts'

/**
 * Returns the reason to refuse a request, or null if a program on this computer sent it. A server on loopback also gets
 * requests from web pages in a browser on this computer. A page whose host name resolves to 127.0.0.1 could even read
 * the answers (DNS rebinding).
 */
export function refuseForeignCaller(request: IncomingMessage): string | null {
  const { origin, 'sec-fetch-site': site } = request.headers
  // "none" means that a user typed the address into a browser.
  if (origin !== undefined || (site !== undefined && site !== 'none')) return refusesPages
  return refuseForeignHost(request)
}

/**
 * Like `refuseForeignCaller`, but accepts the server's own page. If the host name of a foreign page resolves to
 * 127.0.0.1, the browser treats server and page as the same origin. This function refuses the page because of its
 * foreign Host header.
 */
export function refuseForeignPage(request: IncomingMessage): string | null {
  const { host, origin, 'sec-fetch-site': site } = request.headers
  const isOwnOrigin = origin === undefined || /^https?:\/\/(.*)$/.exec(origin)?.[1] === host
  if (!isOwnOrigin || (site !== undefined && site !== 'none' && site !== 'same-origin')) return refusesPages
  return refuseForeignHost(request)
}

const refusesPages = 'The service does not answer requests of web pages.'

function refuseForeignHost({ headers, socket }: IncomingMessage): string | null {
  // Clients leave out the default port of their scheme.
  const defaultPort = 'encrypted' in socket ? 443 : 80
  return isOwnHost(headers.host, socket.localPort, defaultPort)
    ? null
    : 'The Host header must name this computer and this port.'
}

function isOwnHost(host: string | undefined, port: number | undefined, defaultPort: number): boolean {
  const [, name = '', portText = defaultPort] =
    /^(\[[\da-f:]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(host ?? '') ?? []
  return isLoopback(name.toLowerCase()) && Number(portText) === port
}
