import { readFileSync } from 'node:fs'
import type { BlockList } from 'node:net'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { parseProxies } from '../client-address.ts'
import { isLoopback } from '../loopback.ts'
import { defaultMinPartBytes } from '../part-plan.ts'
import { StartError } from '../start-error.ts'

type Setting = { readonly schema: z.ZodType; readonly help: string }

const text = z.string().trim().min(1, 'must not be empty')
const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`
  const digits = z.string().trim().regex(/^\d+$/).transform(Number)
  return z
    .union([z.number(), digits], message)
    .pipe(z.number(message).int(message).min(min, message).max(max, message))
}
const port = wholeNumber(0, 65_535)
const yesNo = z.union(
  [z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')],
  'must be true or false',
)
const address = text.refine(
  (address) => /^https?:\/\/[^/?#]+$/.test(address),
  'must be like https://parts.example.org',
)

/**
 * Every setting, by its name in the settings file. For example, `upload_port` has the flag --upload-port and the
 * variable SLUICE_SERVER_UPLOAD_PORT.
 */
export const settingTable = {
  data: { schema: text, help: 'folder for SQLite and files: the whole server on one computer' },
  database: { schema: text, help: 'postgres://user@host/database; needs bytes' },
  database_password_file: { schema: text, help: 'file with the password of the database (or PGPASSWORD)' },
  bytes: {
    schema: text,
    help: 's3://bucket/prefix?endpoint=https://…&region=…, or a file:///folder that all instances share',
  },
  direct_parts: {
    schema: yesNo,
    help: 'true: stations upload to the S3 storage itself; it must verify x-amz-checksum-sha256 (default false)',
  },
  s3_access_key_id: { schema: text, help: 'name of the S3 key (or AWS_ACCESS_KEY_ID)' },
  s3_secret_key_file: { schema: text, help: 'file with the S3 secret (or AWS_SECRET_ACCESS_KEY)' },
  host: { schema: text, help: 'address to listen on (default 127.0.0.1)' },
  port: { schema: port, help: 'port of the control API (default 8080)' },
  upload_port: { schema: port, help: 'port for part uploads (default 8081)' },
  upload_url: {
    schema: address,
    help: 'address where stations upload parts, if it differs from host and upload_port',
  },
  metrics_port: { schema: port, help: 'port of /metrics on loopback (default: none)' },
  trusted_proxies: {
    schema: text.refine(
      (list) => parseProxies(list) !== null,
      'must be a list of addresses or networks, such as 10.0.0.5, 192.168.0.0/16',
    ),
    help: 'addresses of proxies whose Forwarded or X-Forwarded-For names the client in the log (default: none)',
  },
  tls_cert_file: { schema: text, help: 'certificate with its chain, in PEM; needs tls_key_file' },
  tls_key_file: { schema: text, help: 'key of the certificate, in PEM' },
  url_lifetime_s: {
    schema: wholeNumber(60, 604_800),
    help: 'seconds until a signed URL expires (default 3600)',
  },
  rate_limit: { schema: wholeNumber(1, 1_000_000_000), help: 'requests per minute and key (default 6000)' },
  min_part_size: {
    schema: wholeNumber(1, 512_000_000),
    help: 'smallest part_size in bytes (default 8000000)',
  },
  client_timeout_s: {
    schema: wholeNumber(1, 86_400),
    help: 'seconds without data until a client is disconnected (default 30)',
  },
  private_webhooks: {
    schema: yesNo,
    help: 'true: also send webhooks to private networks and to this computer',
  },
  abandoned_after_days: {
    schema: wholeNumber(0, 36_500),
    help: 'days until an incomplete upload is deleted; 0: never (default 30)',
  },
  audit_days: {
    schema: wholeNumber(0, 36_500),
    help: 'days until an entry of the audit log is deleted; 0: never (default 400)',
  },
  drain_delay_s: {
    schema: wholeNumber(0, 600),
    help: 'seconds from the first 503 of /readyz until the server refuses requests, for a load balancer (default 0)',
  },
  drain_s: {
    schema: wholeNumber(0, 86_400),
    help: 'seconds that running requests have to finish when the server stops (default 60)',
  },
} as const satisfies Record<string, Setting>

type Name = keyof typeof settingTable
type SettingValues = { -readonly [N in Name]?: z.output<(typeof settingTable)[N]['schema']> }

export const settingNames = Object.keys(settingTable) as Name[]
export const flagOf = (name: string) => name.replaceAll('_', '-')

/** The flags of the settings that are true or false. They need no value. */
export const switchNames: ReadonlySet<string> = new Set(
  settingNames.filter((name) => settingTable[name].schema === yesNo).map(flagOf),
)

export type Settings = {
  readonly backEnd:
    | { readonly kind: 'embedded'; readonly folder: string }
    | { readonly kind: 'shared'; readonly database: Database; readonly bytes: SharedBytes }
  readonly host: string
  readonly port: number
  readonly uploadPort: number
  readonly uploadUrl: string | null
  readonly metricsPort: number | null
  readonly trustedProxies: BlockList | null
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly urlLifetimeS: number
  readonly requestsPerMinute: number
  readonly minPartBytes: number
  readonly clientTimeoutMs: number
  readonly privateWebhooks: boolean
  readonly abandonedAfterMs: number | null
  readonly auditRetentionMs: number | null
  readonly drainDelayMs: number
  readonly drainMs: number
}

/** A bucket, or a folder that every instance mounts. */
type SharedBytes =
  | { readonly kind: 's3'; readonly location: S3Settings; readonly direct: boolean }
  | { readonly kind: 'folder'; readonly path: string }

type Database = { readonly url: string; readonly password?: string }
type S3Settings = {
  readonly bucket: string
  readonly prefix: string
  readonly region: string
  readonly endpoint?: string
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

export type Sources = {
  /** The flags as typed, by setting name. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly file: string | undefined
}

/**
 * Flags override the environment, and the environment overrides the file. Throws a StartError if a setting is invalid.
 */
export function readSettings(sources: Sources): Settings {
  const { env } = sources
  const values: SettingValues = { ...readFile(sources.file) }
  for (const name of settingNames) {
    const variable = `SLUICE_SERVER_${name.toUpperCase()}`
    if (env[variable] !== undefined) setValue(values, name, env[variable], variable)
  }
  for (const name of settingNames) {
    const flag = sources.flags[name]
    if (flag !== undefined) setValue(values, name, flag, `--${flagOf(name)}`)
  }
  const databaseFlag = sources.flags.database
  if (typeof databaseFlag === 'string' && hasPassword(databaseFlag))
    throw new StartError(
      '--database must not hold a password: other users can read the command line. Use PGPASSWORD or database_password_file.',
    )
  return resolveSettings(values, env)
}

function resolveSettings(values: SettingValues, env: Sources['env']): Settings {
  const host = values.host ?? '127.0.0.1'
  if ((values.tls_cert_file === undefined) !== (values.tls_key_file === undefined))
    throw new StartError('Set both tls_cert_file and tls_key_file, or neither.')
  if (!isLoopback(host) && values.upload_url === undefined)
    throw new StartError(
      'If host is not loopback, set upload_url to the address where stations upload parts.',
    )
  return {
    backEnd: backEndOf(values, env),
    host,
    port: values.port ?? 8080,
    uploadPort: values.upload_port ?? 8081,
    uploadUrl: values.upload_url ?? null,
    metricsPort: values.metrics_port ?? null,
    trustedProxies: values.trusted_proxies === undefined ? null : parseProxies(values.trusted_proxies),
    tls:
      values.tls_cert_file === undefined
        ? null
        : {
            cert: contentOf('tls_cert_file', values.tls_cert_file),
            key: contentOf('tls_key_file', values.tls_key_file!),
          },
    urlLifetimeS: values.url_lifetime_s ?? 3_600,
    requestsPerMinute: values.rate_limit ?? 6_000,
    minPartBytes: values.min_part_size ?? defaultMinPartBytes,
    clientTimeoutMs: (values.client_timeout_s ?? 30) * 1000,
    privateWebhooks: values.private_webhooks ?? false,
    abandonedAfterMs: daysToMs(values.abandoned_after_days ?? 30),
    auditRetentionMs: daysToMs(values.audit_days ?? 400),
    drainDelayMs: (values.drain_delay_s ?? 0) * 1000,
    drainMs: (values.drain_s ?? 60) * 1000,
  }
}

/** 0 means never. */
function daysToMs(days: number): number | null {
  return days === 0 ? null : days * 24 * 60 * 60 * 1000
}

function backEndOf(values: SettingValues, env: Sources['env']): Settings['backEnd'] {
  const { data, database, bytes } = values
  if (data !== undefined && database === undefined && bytes === undefined) {
    if (values.direct_parts === true) throw new StartError('direct_parts needs bytes in S3.')
    return { kind: 'embedded', folder: data }
  }
  if (data === undefined && database !== undefined && bytes !== undefined)
    return { kind: 'shared', database: databaseOf(values, database), bytes: bytesOf(values, bytes, env) }
  throw new StartError(
    'Give either --data FOLDER, or --database postgres://… together with --bytes s3://… or file:///….',
  )
}

function databaseOf(values: SettingValues, url: string): Database {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new StartError('database must be like postgres://user@host/database.')
  const file = values.database_password_file
  return file === undefined ? { url } : { url, password: contentOf('database_password_file', file).trimEnd() }
}

function bytesOf(values: SettingValues, address: string, env: Sources['env']): SharedBytes {
  const direct = values.direct_parts ?? false
  if (/^file:\/\/\/[^?#]+$/.test(address)) {
    if (direct) throw new StartError('direct_parts needs bytes in S3.')
    return { kind: 'folder', path: fileURLToPath(address) }
  }
  return { kind: 's3', location: s3Of(values, address, env), direct }
}

function s3Of(values: SettingValues, address: string, env: Sources['env']): S3Settings {
  const url = URL.canParse(address) ? new URL(address) : null
  const knownParameters = ['endpoint', 'region']
  if (
    url?.protocol !== 's3:' ||
    url.username !== '' ||
    [...url.searchParams.keys()].some((key) => !knownParameters.includes(key))
  )
    throw new StartError(
      'bytes must be like s3://bucket/prefix?endpoint=https://s3.example.org&region=eu-1, or file:///folder.',
    )
  const bucket = url.hostname
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new StartError('bytes has no valid bucket name.')
  const folder = url.pathname.replace(/^\/+|\/+$/g, '')
  const endpoint = url.searchParams.get('endpoint')
  const accessKeyId = values.s3_access_key_id ?? env.AWS_ACCESS_KEY_ID
  const secretAccessKey =
    values.s3_secret_key_file === undefined
      ? env.AWS_SECRET_ACCESS_KEY
      : contentOf('s3_secret_key_file', values.s3_secret_key_file).trimEnd()
  const hasSettings = values.s3_access_key_id !== undefined || values.s3_secret_key_file !== undefined
  if (hasSettings && (accessKeyId === undefined || secretAccessKey === undefined))
    throw new StartError('s3_access_key_id and s3_secret_key_file need each other: set both or neither.')
  return {
    bucket,
    prefix: folder === '' ? '' : `${folder}/`,
    region: url.searchParams.get('region') ?? env.AWS_REGION ?? 'us-east-1',
    ...(endpoint === null ? {} : { endpoint }),
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : { credentials: { accessKeyId, secretAccessKey } }),
  }
}

function readFile(path: string | undefined): SettingValues {
  if (path === undefined) return {}
  let json: unknown
  try {
    json = JSON.parse(contentOf('settings', path))
  } catch (error) {
    if (error instanceof StartError) throw error
    // Leave out the parser's message: it quotes the file, which may contain a password.
    throw new StartError(`The settings file ${path} is not valid JSON.`)
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new StartError(`The settings file ${path} must hold one JSON object.`)
  const values: SettingValues = {}
  for (const [name, value] of Object.entries(json)) {
    if (!Object.hasOwn(settingTable, name))
      throw new StartError(`The settings file ${path} has an unknown setting: ${name}.`)
    setValue(values, name as Name, value, `${name} in ${path}`)
  }
  if (values.database !== undefined && hasPassword(values.database))
    throw new StartError(`database in ${path} must not hold a password. Use database_password_file.`)
  return values
}

function hasPassword(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : null
  return url !== null && (url.password !== '' || url.searchParams.has('password'))
}

function setValue(values: SettingValues, name: Name, value: unknown, source: string): void {
  const parsed = settingTable[name].schema.safeParse(value)
  if (!parsed.success) throw new StartError(`${source}: ${parsed.error.issues[0]!.message}.`)
  Object.assign(values, { [name]: parsed.data })
}

function contentOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartError(`${name}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}
