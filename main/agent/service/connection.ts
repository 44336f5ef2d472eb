import { readFileSync } from 'node:fs'
import * as tls from 'node:tls'
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool, ProxyAgent } from 'undici'

export type ProxyChoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'environment' }
  | { readonly kind: 'url'; readonly url: string }

export type ConnectionOptions = {
  readonly proxy: ProxyChoice
  readonly caFile?: string
  readonly connectTimeoutMs: number
}

/** Sockets and the trust they are opened with. `trustProblem` tells why the admin's file is not part of it. */
export type Connection = { readonly dispatcher: Dispatcher; readonly trustProblem: string | null }

/** Middleboxes forget idle connections without a word; a short life costs one handshake. */
const KEEP_ALIVE_MS = 10_000

const certificatesOf = (store: 'default' | 'system'): readonly string[] => {
  if (typeof tls.getCACertificates !== 'function') return store === 'default' ? tls.rootCertificates : []
  try {
    return tls.getCACertificates(store)
  } catch {
    return []
  }
}

const readAdminFile = (path: string): { readonly pem: string | null; readonly problem: string | null } => {
  try {
    const pem = readFileSync(path, 'utf8')
    tls.createSecureContext({ ca: pem })
    return /-----BEGIN (TRUSTED )?CERTIFICATE-----/.test(pem)
      ? { pem, problem: null }
      : { pem: null, problem: 'the extra CA file holds no PEM certificate' }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    return { pem: null, problem: `the extra CA file cannot be used (${code})` }
  }
}

/** Built once and shared by all sockets: parsing some hundred roots for each handshake would be felt. */
const trustOf = (
  caFile: string | undefined,
): { readonly context: tls.SecureContext; readonly problem: string | null } => {
  const admin = caFile === undefined ? { pem: null, problem: null } : readAdminFile(caFile)
  const ca = new Set([...certificatesOf('default'), ...certificatesOf('system')])
  if (admin.pem !== null) ca.add(admin.pem)
  return { context: tls.createSecureContext({ ca: [...ca] }), problem: admin.problem }
}

export const openConnection = (options: ConnectionOptions): Connection => {
  const { context: secureContext, problem } = trustOf(options.caFile)
  const tlsOptions = { secureContext, allowH2: false, timeout: options.connectTimeoutMs }
  const common = {
    // Parts need one connection each: streams of one HTTP/2 connection share its window and its fate.
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    connectTimeout: options.connectTimeoutMs,
    connect: tlsOptions,
  }
  const proxied = {
    ...common,
    requestTls: tlsOptions,
    proxyTls: tlsOptions,
    // A proxy that takes the CONNECT and never answers.
    clientFactory: (origin: URL, pool: object) =>
      new Pool(origin, { ...pool, allowH2: false, headersTimeout: options.connectTimeoutMs }),
  }
  switch (options.proxy.kind) {
    case 'none':
      return { dispatcher: new Agent(common), trustProblem: problem }
    case 'environment':
      return { dispatcher: new EnvHttpProxyAgent(proxied), trustProblem: problem }
    case 'url':
      return { dispatcher: new ProxyAgent({ ...proxied, uri: options.proxy.url }), trustProblem: problem }
  }
}
