import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { isSafeAddress, isThisPc } from './addresses.ts'

/** Addresses of this PC and its network. A service on the internet has no reason to send parts there. */
const nearbyRanges = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
  // Unspecified, loopback, and IPv4 inside IPv6. For `::ffff:` addresses, BlockList checks the IPv4 address inside.
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  // Teredo and 6to4: a relay forwards these to the IPv4 address that they contain.
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const

export const createNearbyTest = (): ((hostname: string) => boolean) => {
  const nearby = new BlockList()
  for (const [network, prefix] of nearbyRanges)
    nearby.addSubnet(network, prefix, isIPv6(network) ? 'ipv6' : 'ipv4')
  return (hostname) => {
    if (isThisPc(hostname)) return true
    const ipv6 = /^\[(.+)\]$/.exec(hostname)?.[1]
    return ipv6 === undefined
      ? isIPv4(hostname) && nearby.check(hostname, 'ipv4')
      : nearby.check(ipv6, 'ipv6')
  }
}

/** `*.example.com` matches every name below `example.com`, but not `example.com` itself. */
const matches = (host: string, allowed: string): boolean =>
  allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed

/**
 * The host name without the trailing dot that DNS allows. The URL class has already converted it to lower case.
 */
export const hostOf = (address: string): string => new URL(address).hostname.replace(/\.$/, '')

export const nearbyRefusal = (host: string): string =>
  `parts may not go to ${host}, an address of this network, because the service is outside it`

/**
 * Decides which hosts may receive parts, because a compromised service could choose any URL (§4.2). The returned
 * function gives the reason why a part may not go to a URL, or null. The reason names only the host, because the rest
 * of a signed URL is secret.
 */
export const createPartRefusal = (
  serviceAddress: string,
  /**
   * The administrator's list of allowed hosts. If it is undefined, every host on the internet is allowed, and nearby
   * hosts only if the service itself is nearby.
   */
  allowed: readonly string[] | undefined,
): ((address: string) => string | null) => {
  const isNearby = createNearbyTest()
  const service = hostOf(serviceAddress)
  return (address) => {
    if (!isSafeAddress(address)) return 'the URL of the part is not an https address'
    const host = hostOf(address)
    if (new URL(address).protocol === 'http:' && !isThisPc(service))
      return `the part would go to ${host} without https`
    if (allowed !== undefined)
      return allowed.some((pattern) => matches(host, pattern))
        ? null
        : `parts may not go to ${host}, which is not among the upload hosts of the settings`
    return isNearby(host) && !isNearby(service) ? nearbyRefusal(host) : null
  }
}
