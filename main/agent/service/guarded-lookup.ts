import { lookup as systemLookup } from 'node:dns'
import { isIPv6, type LookupFunction } from 'node:net'
import { createNearbyTest, hostOf, nearbyRefusal } from './part-hosts.ts'

/** Error code for a host name that resolves only to forbidden addresses. */
export const NEARBY_HOST = 'SLUICE_NEARBY_HOST'

class NearbyHostError extends Error {
  readonly code = NEARBY_HOST
}

/**
 * The service chooses the hosts that receive parts. A compromised service may choose a name that resolves to an address
 * in this network. So the lookup drops the addresses in this network, and fails if no other address is left. This does
 * not apply if the service itself is in this network. Behind a proxy, Sluice cannot check the addresses.
 */
export const createGuardedLookup = (
  serviceAddress: string,
  lookup: LookupFunction = systemLookup,
): LookupFunction => {
  const service = hostOf(serviceAddress)
  const isNearbyHost = createNearbyTest()
  if (isNearbyHost(service)) return lookup
  const isNearby = ({ address }: { readonly address: string }): boolean => {
    const [plain = ''] = address.split('%')
    return isNearbyHost(isIPv6(plain) ? `[${plain}]` : plain)
  }
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, foundAddresses) => {
      if (error !== null) return callback(error, [])
      const addresses = typeof foundAddresses === 'string' ? [] : foundAddresses
      const connectTo = (candidates: typeof addresses) => {
        const [first] = candidates
        if (first === undefined || options.all === true) return callback(null, candidates)
        return callback(null, first.address, first.family)
      }
      if (hostname === service || !addresses.some(isNearby)) return connectTo(addresses)
      const outside = addresses.filter((address) => !isNearby(address))
      if (outside.length > 0) return connectTo(outside)
      // If the service is in this network, its storage may be here too.
      lookup(service, { all: true }, (lookupError, serviceAddresses) => {
        if (lookupError === null && typeof serviceAddresses !== 'string' && serviceAddresses.some(isNearby))
          return connectTo(addresses)
        callback(new NearbyHostError(nearbyRefusal(hostname)), [])
      })
    })
  }
}
