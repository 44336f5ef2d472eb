import type { ServiceSettings } from '../../../shared/settings.ts'
import type { Clock, Log, Random, ServiceClient } from '../ports.ts'
import { createServiceClient } from '../service/client.ts'

/** `resolvedProxy`: what the system says to use for the address, resolved by the desktop app. */
const proxyChoice = (setting: ServiceSettings['proxy'], resolvedProxy: string | null) => {
  switch (setting) {
    case 'none':
      return { kind: 'none' as const }
    case 'environment':
      return { kind: 'environment' as const }
    // Without a desktop there is nobody to resolve the system's proxy; the environment is its nearest kin.
    case 'system':
      return resolvedProxy === null
        ? { kind: 'environment' as const }
        : { kind: 'url' as const, url: resolvedProxy }
    default:
      return { kind: 'url' as const, url: setting }
  }
}

/** A client as the settings want it: for the pipeline, and for a key that is only tried. */
export const connectService = (
  settings: ServiceSettings,
  apiKey: string,
  resolvedProxy: string | null,
  world: { readonly clock: Clock; readonly random: Random; readonly log: Log },
): ServiceClient =>
  createServiceClient({
    baseUrl: settings.base_url,
    apiKey,
    checksumHeader: settings.checksum_header,
    proxy: proxyChoice(settings.proxy, resolvedProxy),
    ...(settings.ca_file === undefined ? {} : { caFile: settings.ca_file }),
    ...world,
  })
