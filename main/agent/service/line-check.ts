import { lookup } from 'node:dns/promises'
import { connect, isIP } from 'node:net'
import * as tls from 'node:tls'
import { type Finding, fail, pass, skip, warn } from '../../../shared/ipc/station-check.ts'
import { isLoopback } from '../../../shared/settings/loopback.ts'
import { createTrust, type ProxyChoice, readAdminFile } from './connection.ts'

/** The line to the service, piece by piece: which of them is broken, when the whole does not work. */

type Verdict = Omit<Finding, 'subject'>

const DAY_MS = 86_400_000
const SOON_DAYS = 14

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | null)?.code ?? 'no reason given'

/** As the URL class writes it, without the brackets of IPv6. */
const hostOf = (address: URL): string => address.hostname.replace(/^\[|\]$/g, '')

const leftOut = (host: string): boolean =>
  (process.env.no_proxy ?? process.env.NO_PROXY ?? '')
    .split(/[\s,]+/)
    .map((name) =>
      name
        .replace(/^\*?\./, '')
        .replace(/:\d+$/, '')
        .toLowerCase(),
    )
    .some((name) => name === '*' || (name !== '' && (host === name || host.endsWith(`.${name}`))))

const proxyOf = (choice: ProxyChoice, service: URL): URL | null => {
  if (isLoopback(service.hostname) || choice.kind === 'none') return null
  const fromEnvironment =
    process.env[service.protocol === 'https:' ? 'https_proxy' : 'http_proxy'] ??
    process.env[service.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'] ??
    ''
  const url = choice.kind === 'url' ? choice.url : leftOut(service.hostname) ? '' : fromEnvironment
  return URL.canParse(url) ? new URL(url) : null
}

export const checkName = async (baseUrl: string, choice: ProxyChoice): Promise<Verdict> => {
  const url = new URL(baseUrl)
  const host = hostOf(url)
  if (isIP(host) !== 0) return pass(`${host} is an address: there is no name to look up.`)
  if (proxyOf(choice, url) !== null) return skip('The proxy looks names up.')
  try {
    const found = await lookup(host, { all: true })
    return pass(
      `${host} is ${found
        .map(({ address }) => address)
        .slice(0, 3)
        .join(', ')}.`,
    )
  } catch (error) {
    return fail(
      `${host} is not found (${codeOf(error)}).`,
      'Check the address for a typing mistake, and the DNS server of this network.',
    )
  }
}

export const checkProxy = (baseUrl: string, choice: ProxyChoice, signal: AbortSignal): Promise<Verdict> => {
  const proxy = proxyOf(choice, new URL(baseUrl))
  if (proxy === null) return Promise.resolve(pass('None: the service is asked directly.'))
  // Without user name and password, which may be in its address.
  const shown = `${hostOf(proxy)}:${proxy.port || (proxy.protocol === 'https:' ? '443' : '80')}`
  const port = Number(proxy.port) || (proxy.protocol === 'https:' ? 443 : 80)
  return new Promise((resolve) => {
    const socket = connect({ host: hostOf(proxy), port, signal })
    const end = (verdict: Verdict) => {
      socket.destroy()
      resolve(verdict)
    }
    socket.once('connect', () => end(pass(`${shown} answers.`)))
    socket.once('error', (error) =>
      end(
        fail(
          `${shown} does not answer (${codeOf(error)}).`,
          'Check the proxy in the settings of the service.',
        ),
      ),
    )
  })
}

const described = (certificate: tls.PeerCertificate, now: number): Verdict => {
  const { O, CN } = certificate.issuer ?? {}
  const issuer = [O ?? CN ?? 'an unnamed issuer'].flat()[0]
  const days = Math.floor((Date.parse(certificate.valid_to) - now) / DAY_MS)
  const sentence = `Trusted; issued by ${issuer}, valid for ${days} more days.`
  return days < SOON_DAYS
    ? warn(sentence, 'Tell whoever runs the service that its certificate ends soon.')
    : pass(sentence)
}

export const checkCertificate = (
  baseUrl: string,
  choice: ProxyChoice,
  caFile: string | undefined,
  now: number,
  signal: AbortSignal,
): Promise<Verdict> => {
  const url = new URL(baseUrl)
  if (url.protocol !== 'https:') return Promise.resolve(skip('Not needed: the service is on this PC.'))
  const admin = caFile === undefined ? { pem: null, problem: null } : readAdminFile(caFile)
  if (admin.problem !== null)
    return Promise.resolve(fail(`${admin.problem}.`, 'Correct service.ca_file, or leave it out.'))
  if (proxyOf(choice, url) !== null)
    return Promise.resolve(skip('Behind a proxy: “Service and key” says whether it is trusted.'))
  return new Promise((resolve) => {
    const host = hostOf(url)
    const socket = tls.connect({
      host,
      port: Number(url.port) || 443,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      secureContext: createTrust(admin.pem),
      rejectUnauthorized: true,
    })
    const end = (verdict: Verdict) => {
      socket.destroy()
      resolve(verdict)
    }
    signal.addEventListener('abort', () => socket.destroy(new Error('no answer in time')))
    socket.once('secureConnect', () => end(described(socket.getPeerCertificate(), now)))
    socket.once('error', (error) => {
      const code = codeOf(error)
      end(
        /^E[A-Z]+$/.test(code) && !code.startsWith('ERR_')
          ? skip(`Not seen: there is no connection (${code}).`)
          : fail(
              `Not trusted (${code}).`,
              'Behind a filter that opens connections, name its certificate in service.ca_file; otherwise do not continue.',
            ),
      )
    })
  })
}
