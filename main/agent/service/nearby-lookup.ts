import { lookup as systemLookup } from 'node:dns'
import { isIPv6, type LookupFunction } from 'node:net'
import { createNearbyTest, hostOf, nearbyRefusal } from './part-hosts.ts'

/** The code of a name that may not be connected to, because of where it leads. */
export const NEARBY_HOST = 'SLUICE_NEARBY_HOST'

class NearbyHostError extends Error {
  readonly code = NEARBY_HOST
}

/**
 * A name tells where it leads only when it is looked up. One that the service gave for its parts, and that leads into
 * this network while the service's own does not, is not connected to; what was looked at is what is connected to.
 * Behind a proxy names are looked up by the proxy, and nothing is known here.
 */
export const createNearbyLookup = (
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
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, [])
      const all = typeof found === 'string' ? [] : found
      const connectTo = (addresses: typeof all) => {
        const [first] = addresses
        if (first === undefined || options.all === true) return callback(null, addresses)
        return callback(null, first.address, first.family)
      }
      if (hostname === service || !all.some(isNearby)) return connectTo(all)
      const outside = all.filter((one) => !isNearby(one))
      if (outside.length > 0) return connectTo(outside)
      // A service of this network has its storage here too.
      lookup(service, { all: true }, (failed, own) => {
        if (failed === null && typeof own !== 'string' && own.some(isNearby)) return connectTo(all)
        callback(new NearbyHostError(nearbyRefusal(hostname)), [])
      })
    })
  }
}
