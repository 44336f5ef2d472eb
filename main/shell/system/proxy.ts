import type { Session } from 'electron'
import type { ServiceSettings } from '../../../shared/settings.ts'

/** "PROXY proxy:3128; DIRECT" and its kin. The first that Sluice can speak; SOCKS it cannot. Null goes direct. */
export const proxyFromPac = (answer: string): string | null => {
  for (const choice of answer.split(';')) {
    const [kind = '', host = ''] = choice.trim().split(/\s+/)
    switch (kind.toUpperCase()) {
      case 'DIRECT':
        return null
      case 'PROXY':
      case 'HTTP':
        return `http://${host}`
      case 'HTTPS':
        return `https://${host}`
    }
  }
  return null
}

/** Only the system's own proxy needs Chromium's resolver; the agent reads the other kinds from the settings. */
export const systemProxyUrl = async (
  session: Pick<Session, 'resolveProxy'>,
  service: ServiceSettings | undefined,
): Promise<string | null> => {
  if (service === undefined || service.proxy !== 'system') return null
  return proxyFromPac(await session.resolveProxy(service.base_url))
}
