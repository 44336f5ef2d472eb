import type { Session } from 'electron'
import type { SystemProxy } from '../../../shared/ipc/agent-protocol.ts'
import type { ServiceSettings } from '../../../shared/settings/settings.ts'

/**
 * Parses "PROXY proxy:3128; DIRECT". Takes the first supported entry. If no entry is supported, for example if all are
 * SOCKS, Sluice connects directly.
 */
export const proxyFromPac = (answer: string): SystemProxy => {
  for (const choice of answer.split(';')) {
    const [kind = '', host = ''] = choice.trim().split(/\s+/)
    switch (kind.toUpperCase()) {
      case 'DIRECT':
        return { kind: 'direct' }
      case 'PROXY':
      case 'HTTP':
        return { kind: 'url', url: `http://${host}` }
      case 'HTTPS':
        return { kind: 'url', url: `https://${host}` }
    }
  }
  return { kind: 'direct' }
}

/** Asks Chromium, but only if the settings choose the system's proxy. */
export const systemProxy = async (
  session: Pick<Session, 'resolveProxy'>,
  service: ServiceSettings | undefined,
): Promise<SystemProxy> => {
  if (service === undefined || service.proxy !== 'system') return { kind: 'unknown' }
  return proxyFromPac(await session.resolveProxy(service.base_url))
}
