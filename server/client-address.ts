import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Parses a list of addresses and networks, such as `10.0.0.5, 192.168.0.0/16`. Returns null if it is malformed. */
export function parseProxies(text: string): BlockList | null {
  const proxies = new BlockList()
  for (const entry of text.split(',').map((part) => part.trim())) {
    const [address = '', prefix, ...rest] = entry.split('/')
    const family = familyOf(address)
    if (family === null || rest.length > 0) return null
    if (prefix === undefined) proxies.addAddress(address, family)
    else {
      const bits = Number(prefix)
      if (!/^\d{1,3}$/.test(prefix) || bits > (family === 'ipv4' ? 32 : 128)) return null
      proxies.addSubnet(address, bits, family)
    }
  }
  return proxies
}

/**
 * The address of the client. A proxy adds it to `Forwarded` or `X-Forwarded-For`, but any client can forge these
 * headers. So this function reads the entries from the last one backwards, up to the first address that is not a
 * trusted proxy.
 */
export function clientAddress(request: IncomingMessage, proxies: BlockList | null): string {
  let address = plainAddress(request.socket.remoteAddress ?? '')
  if (proxies === null) return address
  for (const hop of forwardedHops(request).reverse()) {
    const family = familyOf(address)
    if (family === null || !proxies.check(address, family)) return address
    const hopAddress = plainAddress(hop)
    // A proxy may hide the address and write `unknown` or `_hidden` instead.
    if (familyOf(hopAddress) === null) return address
    address = hopAddress
  }
  return address
}

/**
 * `Forwarded` takes precedence: a proxy that writes it may pass on a forged `X-Forwarded-For` from the client.
 */
function forwardedHops({ headers }: IncomingMessage): string[] {
  const { forwarded, 'x-forwarded-for': forwardedFor } = headers
  if (forwarded !== undefined)
    return forwarded.split(',').map((hop) => /(?:^|;)\s*for="?([^";]*)"?/i.exec(hop)?.[1]?.trim() ?? '')
  return forwardedFor === undefined ? [] : String(forwardedFor).split(',')
}

/** Removes brackets, the port, and the prefix `::ffff:` of an IPv4 address. */
function plainAddress(text: string): string {
  const host = /^\[([^\]]*)\](?::\d+)?$/.exec(text.trim())?.[1] ?? text.trim().replace(/^([\d.]+):\d+$/, '$1')
  return host.replace(/^::ffff:(?=[\d.]+$)/i, '')
}

function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  const version = isIP(address)
  return version === 0 ? null : version === 4 ? 'ipv4' : 'ipv6'
}
