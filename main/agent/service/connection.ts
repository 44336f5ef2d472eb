import type { LookupFunction } from 'node:net'
import * as tls from 'node:tls'
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool, ProxyAgent } from 'undici'
import { readPlainFile } from '../../local-files/plain-file.ts'
import { readBeforeFailing } from './early-answer.ts'
import { LoopbackDirect } from './loopback-direct.ts'

export type ProxyChoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'environment' }
  | { readonly kind: 'url'; readonly url: string }

export type ConnectionOptions = {
  readonly proxy: ProxyChoice
  readonly caFile?: string
  readonly connectTimeoutMs: number
  /** Resolves host names on this PC. Not used behind a proxy, which resolves them itself. */
  readonly lookup?: LookupFunction
}

/** `trustProblem` is the reason why Sluice cannot use the administrator's CA file. */
export type Connection = { readonly dispatcher: Dispatcher; readonly trustProblem: string | null }

/** Routers and firewalls drop idle connections without notice, so Sluice closes them first. */
const KEEP_ALIVE_MS = 10_000
/** All root certificates of a system together are much smaller. */
const MAX_CA_BYTES = 8 * 1024 * 1024

const certificatesOf = (store: 'default' | 'system'): readonly string[] => {
  if (typeof tls.getCACertificates !== 'function') return store === 'default' ? tls.rootCertificates : []
  try {
    return tls.getCACertificates(store)
  } catch {
    return []
  }
}

export const readCaFile = (
  path: string,
): { readonly pem: string | null; readonly problem: string | null } => {
  try {
    const pem = readPlainFile(path, MAX_CA_BYTES).bytes.toString('utf8')
    tls.createSecureContext({ ca: pem })
    return /-----BEGIN (TRUSTED )?CERTIFICATE-----/.test(pem)
      ? { pem, problem: null }
      : { pem: null, problem: 'the extra CA file holds no PEM certificate' }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    return { pem: null, problem: `the extra CA file cannot be used (${code})` }
  }
}

/** The trusted certificates. Create this once for many sockets, because parsing all root certificates takes 0.1 s. */
export const createTrust = (adminPem: string | null): tls.SecureContext => {
  const ca = new Set([...certificatesOf('default'), ...certificatesOf('system')])
  if (adminPem !== null) ca.add(adminPem)
  return tls.createSecureContext({ ca: [...ca] })
}

/** Checks the same variables as undici. */
const hasProxy = (env: NodeJS.ProcessEnv): boolean =>
  [env.http_proxy, env.HTTP_PROXY, env.https_proxy, env.HTTPS_PROXY].some(
    (value) => value !== undefined && value !== '',
  )

type Connector = ReturnType<typeof buildConnector>

/**
 * The connection pool of one origin. Its sockets keep an answer that arrives while Sluice still sends (see
 * `readBeforeFailing`).
 */
const createPool = (origin: string | URL, options: object): Dispatcher => {
  const { connect } = options as { readonly connect: Connector }
  const connectKeepingAnswers: Connector = (target, callback) =>
    connect(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      readBeforeFailing(socket)
      callback(null, socket)
    })
  return new Pool(origin, { ...options, connect: connectKeepingAnswers })
}

export const openConnection = (options: ConnectionOptions): Connection => {
  const admin = options.caFile === undefined ? { pem: null, problem: null } : readCaFile(options.caFile)
  const common = {
    // Each part needs its own connection, because the streams of an HTTP/2 connection share its window and fail
    // together.
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    connectTimeout: options.connectTimeoutMs,
    factory: createPool,
  }
  const tcpOptions = { allowH2: false, timeout: options.connectTimeoutMs }
  const createTlsOptions = () => ({
    ...tcpOptions,
    secureContext: createTrust(admin.pem),
    // Without this, NODE_TLS_REJECT_UNAUTHORIZED in the environment could disable the check.
    rejectUnauthorized: true,
  })
  const lookup = options.lookup === undefined ? {} : { lookup: options.lookup }
  const createDirectConnector = (): Connector => {
    const plain = buildConnector({ ...tcpOptions, ...lookup })
    let secure: Connector | null = null
    return (target, callback) => {
      if (target.protocol !== 'https:') return plain(target, callback)
      secure ??= buildConnector({ ...createTlsOptions(), ...lookup })
      return secure(target, callback)
    }
  }
  const createProxyOptions = () => {
    const tlsOptions = createTlsOptions()
    return {
      ...common,
      requestTls: tlsOptions,
      proxyTls: tlsOptions,
      // `headersTimeout` ends the wait for a proxy that never answers the CONNECT request.
      clientFactory: (origin: URL, pool: object) =>
        new Pool(origin, { ...pool, allowH2: false, headersTimeout: options.connectTimeoutMs }),
    }
  }
  const open = (): Dispatcher => {
    const unproxied = new Agent({ ...common, connect: createDirectConnector() })
    switch (options.proxy.kind) {
      case 'none':
        return unproxied
      case 'environment':
        // A proxy agent would parse the certificates a second time.
        if (!hasProxy(process.env)) return unproxied
        return new LoopbackDirect(
          unproxied,
          new EnvHttpProxyAgent({ ...createProxyOptions(), connect: createDirectConnector() }),
        )
      case 'url':
        return new LoopbackDirect(
          unproxied,
          new ProxyAgent({ ...createProxyOptions(), uri: options.proxy.url }),
        )
    }
  }
  return { dispatcher: open(), trustProblem: admin.problem }
}
