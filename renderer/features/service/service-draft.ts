import type { ServiceSettings } from '../../../shared/settings/settings.ts'
import type { Choice } from '../../components/Choices.tsx'

export type ProxyChoice = 'system' | 'environment' | 'none' | 'address'

export const proxyChoices: readonly Choice<ProxyChoice>[] = [
  { id: 'system', word: 'System setting' },
  { id: 'environment', word: 'From the environment' },
  { id: 'none', word: 'None' },
  { id: 'address', word: 'Custom…' },
]

export type ServiceDraft = {
  readonly baseUrl: string
  readonly proxy: ProxyChoice
  readonly proxyUrl: string
  readonly caFile: string
  readonly checksumHeader: string
  /** Host names, separated by spaces, commas or semicolons. */
  readonly uploadHosts: string
}

const isNamedProxy = (proxy: string): proxy is Exclude<ProxyChoice, 'address'> =>
  proxy === 'system' || proxy === 'environment' || proxy === 'none'

export const serviceDraft = (service: ServiceSettings | undefined): ServiceDraft => {
  const proxy = service?.proxy ?? 'system'
  return {
    baseUrl: service?.base_url ?? '',
    proxy: isNamedProxy(proxy) ? proxy : 'address',
    proxyUrl: isNamedProxy(proxy) ? '' : proxy,
    caFile: service?.ca_file ?? '',
    checksumHeader: service?.checksum_header ?? 'x-amz-checksum-sha256',
    uploadHosts: (service?.upload_hosts ?? []).join(', '),
  }
}

export const hostsIn = ({ uploadHosts }: ServiceDraft): readonly string[] =>
  uploadHosts.split(/[\s,;]+/).filter((host) => host !== '')

export const readService = (draft: ServiceDraft) => ({
  base_url: draft.baseUrl,
  proxy: draft.proxy === 'address' ? draft.proxyUrl.trim() : draft.proxy,
  checksum_header: draft.checksumHeader.trim(),
  ...(draft.caFile.trim() === '' ? {} : { ca_file: draft.caFile.trim() }),
  ...(hostsIn(draft).length === 0 ? {} : { upload_hosts: hostsIn(draft) }),
})
