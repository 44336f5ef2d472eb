import { BlockList, isIP } from 'node:net'

/**
 * The networks that webhooks may reach. Anyone with a key chooses the addresses, so by default webhooks must not reach
 * the local network.
 *
 * - `nowhere`: the sandbox inside the app. The app polls it and needs no webhooks.
 * - `internet`: the public internet. The default of the server.
 * - `internet-and-loopback`: the public internet and this computer.
 * - `anywhere`: the public internet, this computer and private networks. Only the operator can allow this.
 */
export type Reach = 'nowhere' | 'internet' | 'internet-and-loopback' | 'anywhere'

const loopback = createBlockList([
  ['127.0.0.0', 8],
  ['::1', 128],
])

/** Address ranges outside the public internet and outside this computer: RFC 6890 and its additions. */
const nonPublic = createBlockList([
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  // Link-local, including the metadata services of clouds.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  // Addresses in the next five ranges contain an IPv4 address, which may be in any range above.
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['2001::', 23],
  ['100::', 64],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
])

/** True if a delivery may connect to this address. */
export function mayReach(reach: Reach, protocol: string, address: string): boolean {
  const isThisComputer = isWithin(loopback, address)
  switch (reach) {
    case 'nowhere':
      return false
    case 'internet':
      return !isThisComputer && protocol === 'https:' && !isWithin(nonPublic, address)
    case 'internet-and-loopback':
      return isThisComputer || (protocol === 'https:' && !isWithin(nonPublic, address))
    case 'anywhere':
      return isThisComputer || protocol === 'https:'
    default:
      return reach satisfies never
  }
}

/** The literal address in a URL, or null if the URL has a host name. */
export function literalAddress(url: URL): string | null {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 ? null : host
}

/** Ignores the zone ID of a link-local address (`%eth0`). `BlockList` checks `::ffff:127.0.0.1` as `127.0.0.1`. */
function isWithin(list: BlockList, address: string): boolean {
  const [plain = ''] = address.split('%')
  return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
}

function createBlockList(subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of subnets)
    list.addSubnet(network, prefix, isIP(network) === 6 ? 'ipv6' : 'ipv4')
  return list
}
