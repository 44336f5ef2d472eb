import type { IncomingMessage } from 'node:http'
import { isLoopback } from './loopback.ts'

/**
 * Why a request is not one of a program on this computer that meant this server, or null. Listening on loopback
 * alone does not keep a browser out: a page may send requests here, and a name of its own that it lets point to
 * 127.0.0.1 makes it same-origin with the answers.
 */
export function foreignCaller(request: IncomingMessage): string | null {
  const { host, origin, 'sec-fetch-site': site } = request.headers
  if (!isOwnHost(host, request.socket.localPort))
    return 'The Host header must name this computer and this port.'
  // An address that a person typed into a browser says "none".
  if (origin !== undefined || (site !== undefined && site !== 'none'))
    return 'Requests of web pages are not answered.'
  return null
}

function isOwnHost(host: string | undefined, port: number | undefined): boolean {
  const [, name = '', given = '80'] = /^(\[[\da-f:]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(host ?? '') ?? []
  return isLoopback(name.toLowerCase()) && Number(given) === port
}
