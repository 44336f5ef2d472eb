import type { IncomingMessage } from 'node:http'
import { isLoopback } from './loopback.ts'

/**
 * Returns why a request does not come from a program on this computer, or null. Loopback alone does not stop a browser: a page
 * can send requests here, and a host name of its own that resolves to 127.0.0.1 lets it read the answers (DNS rebinding).
 */
export function foreignCaller(request: IncomingMessage): string | null {
  const { host, origin, 'sec-fetch-site': site } = request.headers
  if (!isOwnHost(host, request.socket.localPort))
    return 'The Host header must name this computer and this port.'
  // "none" means that a person typed the address into a browser.
  if (origin !== undefined || (site !== undefined && site !== 'none'))
    return 'Requests of web pages are not answered.'
  return null
}

function isOwnHost(host: string | undefined, port: number | undefined): boolean {
  const [, name = '', given = '80'] = /^(\[[\da-f:]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(host ?? '') ?? []
  return isLoopback(name.toLowerCase()) && Number(given) === port
}
