import { lookup } from 'node:dns/promises'
import { connect, isIP } from 'node:net'
import * as tls from 'node:tls'
import { type Finding, fail, pass, skip, warn } from '../../../shared/ipc/station-check.ts'
import { isLoopback } from '../../../shared/settings/loopback.ts'
import { plural } from '../../../shared/words/format.ts'
import { asSentence } from '../../../shared/words/issue-sentence.ts'
import { createTrust, type ProxyChoice, readCaFile } from './connection.ts'

/** Checks each step of the connection to the service, to show which step fails. */

type Verdict = Omit<Finding, 'subject'>

const DAY_MS = 86_400_000
const EXPIRY_WARNING_DAYS = 14

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | null)?.code ?? 'no reason given'

/** The host name without the brackets that the URL class puts around an IPv6 address. */
const hostOf = (address: URL): string => address.hostname.replace(/^\[|\]$/g, '')

/** Follows the rules of undici: an entry may have a port, and `*.lab.org` matches only names below `lab.org`. */
const bypassesProxy = (url: URL): boolean => {
  const host = hostOf(url)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return (process.env.no_proxy ?? process.env.NO_PROXY ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      // An IPv6 address with a port has brackets.
      const [, name = '', entryPort] = /^(\[.+\]|[^:]+)(?::(\d+))?$/.exec(entry) ?? [null, entry]
      if (name === '' || (entryPort !== undefined && entryPort !== port)) return false
      if (name === '*') return true
      const domain = name.replace(/^\*?\./, '').replace(/^\[|\]$/g, '')
      return (host === domain && !name.startsWith('*')) || host.endsWith(`.${domain}`)
    })
}

/** The proxy that undici takes from the environment. For https, the proxy for http is the fallback. */
const proxyFromEnvironment = (url: URL): string => {
  if (bypassesProxy(url)) return ''
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY } = process.env
  const forHttp = http_proxy ?? HTTP_PROXY ?? ''
  return url.protocol === 'https:' ? (https_proxy ?? HTTPS_PROXY) || forHttp : forHttp
}

const proxyOf = (choice: ProxyChoice, service: URL): URL | null => {
  if (isLoopback(service.hostname) || choice.kind === 'none') return null
  const url = choice.kind === 'url' ? choice.url : proxyFromEnvironment(service)
  return URL.canParse(url) ? new URL(url) : null
}

export const checkName = async (baseUrl: string, choice: ProxyChoice): Promise<Verdict> => {
  const url = new URL(baseUrl)
  const host = hostOf(url)
  if (isIP(host) !== 0) return pass(`${host} is an IP address, so no name lookup is needed.`)
  if (proxyOf(choice, url) !== null) return skip('The proxy resolves names.')
  try {
    const addresses = await lookup(host, { all: true })
    return pass(
      `${host} is ${addresses
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
  if (proxy === null) return Promise.resolve(pass('None: Sluice connects to the service directly.'))
  // Omit the user name and password of the proxy's address.
  const shownAddress = `${hostOf(proxy)}:${proxy.port || (proxy.protocol === 'https:' ? '443' : '80')}`
  const port = Number(proxy.port) || (proxy.protocol === 'https:' ? 443 : 80)
  return new Promise((resolve) => {
    const socket = connect({ host: hostOf(proxy), port, signal })
    const end = (verdict: Verdict) => {
      socket.destroy()
      resolve(verdict)
    }
    socket.once('connect', () => end(pass(`${shownAddress} answers.`)))
    socket.once('error', (error) =>
      end(
        fail(
          `${shownAddress} does not answer (${codeOf(error)}).`,
          'Check the proxy in the settings of the service.',
        ),
      ),
    )
  })
}

const describeCertificate = (certificate: tls.PeerCertificate, nowMs: number): Verdict => {
  const { O, CN } = certificate.issuer ?? {}
  const issuer = [O ?? CN ?? 'an unnamed issuer'].flat()[0]
  const days = Math.floor((Date.parse(certificate.valid_to) - nowMs) / DAY_MS)
  const sentence = `Trusted; issued by ${issuer}, valid for ${plural(days, 'more day')}.`
  return days < EXPIRY_WARNING_DAYS
    ? warn(sentence, 'Tell the service operator that its certificate expires soon.')
    : pass(sentence)
}

export const checkCertificate = (
  baseUrl: string,
  choice: ProxyChoice,
  caFile: string | undefined,
  nowMs: number,
  signal: AbortSignal,
): Promise<Verdict> => {
  const url = new URL(baseUrl)
  if (url.protocol !== 'https:') return Promise.resolve(skip('Not needed: the service is on this PC.'))
  const admin = caFile === undefined ? { pem: null, problem: null } : readCaFile(caFile)
  if (admin.problem !== null)
    return Promise.resolve(fail(asSentence(admin.problem), 'Correct service.ca_file, or leave it out.'))
  if (proxyOf(choice, url) !== null)
    return Promise.resolve(
      skip('Behind a proxy: “Service and key” shows whether the certificate is trusted.'),
    )
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
    socket.once('secureConnect', () => end(describeCertificate(socket.getPeerCertificate(), nowMs)))
    socket.once('error', (error) => {
      const code = codeOf(error)
      end(
        /^E[A-Z_]+$/.test(code) && !code.startsWith('ERR_')
          ? skip(`Not checked: no connection (${code}).`)
          : fail(
              `Not trusted (${code}).`,
              'If a filter on this network decrypts connections, name its certificate in service.ca_file. Otherwise do not continue.',
            ),
      )
    })
  })
}
