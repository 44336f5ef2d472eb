import type { SystemProxy } from '../../../shared/ipc/agent-protocol.ts'
import type { ServiceSettings } from '../../../shared/settings/settings.ts'
import type { Clock, Log, Random } from '../ports/clock.ts'
import type { ServiceClient } from '../ports/service.ts'
import { createServiceClient } from '../service/client.ts'
import type { ProxyChoice } from '../service/connection.ts'

const chooseSystemProxy = (system: SystemProxy): ProxyChoice => {
  switch (system.kind) {
    // Without a desktop, Sluice cannot read the system's proxy settings, so it uses the environment variables.
    case 'unknown':
      return { kind: 'environment' }
    case 'direct':
      return { kind: 'none' }
    case 'url':
      return system
  }
}

export const chooseProxy = (setting: ServiceSettings['proxy'], system: SystemProxy): ProxyChoice => {
  switch (setting) {
    case 'none':
    case 'environment':
      return { kind: setting }
    case 'system':
      return chooseSystemProxy(system)
    default:
      return { kind: 'url', url: setting }
  }
}

export const connectService = (
  settings: ServiceSettings,
  apiKey: string,
  systemProxy: SystemProxy,
  world: {
    readonly clock: Clock
    readonly random: Random
    readonly log: Log
    readonly onUploadHost?: (host: string) => void
  },
): ServiceClient =>
  createServiceClient({
    baseUrl: settings.base_url,
    apiKey,
    checksumHeader: settings.checksum_header,
    proxy: chooseProxy(settings.proxy, systemProxy),
    ...(settings.ca_file === undefined ? {} : { caFile: settings.ca_file }),
    ...(settings.upload_hosts === undefined ? {} : { uploadHosts: settings.upload_hosts }),
    ...world,
  })
