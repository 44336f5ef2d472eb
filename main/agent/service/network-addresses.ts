import os from 'node:os'

type Interfaces = NodeJS.Dict<readonly Pick<os.NetworkInterfaceInfo, 'address' | 'internal'>[]>

/** A system has these addresses even without a network. */
const isLinkLocal = (address: string): boolean => /^(?:169\.254\.|fe80:)/i.test(address)

/** Whether this PC has an address in any network. */
export const hasNetwork = (interfaces: Interfaces = os.networkInterfaces()): boolean =>
  Object.values(interfaces).some((addresses) =>
    addresses?.some(({ address, internal }) => !internal && !isLinkLocal(address)),
  )
