import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { StartError } from '../server/start-error.ts'
import { type Scenario, scenarioSchema } from './faults.ts'
import type { SandboxOptions } from './server.ts'

export const usage = `Usage: npm run -s sandbox -- [options]

Runs the complete service on loopback until SIGTERM or Ctrl-C. The first line on stdout is
JSON: base_url, upload_url, keys.

  --port N               port of the control API (default 0: any free port)
  --upload-port N        port for part uploads (default 0)
  --data DIR             data folder (default: a temporary folder, removed at the end)
  --url-lifetime S       seconds until a signed URL expires (default 3600)
  --processing-delay MS  milliseconds from completion to the inspection (default 500)
  --rate-limit N         requests per minute and key (default 6000)
  --min-part-size BYTES  smallest part_size (default 8000000)
  --checksum-header NAME header of a part's SHA-256 (default x-amz-checksum-sha256)
  --md5-etags            use the quoted MD5 of a part as its ETag, as S3 does (slower)
  --client-timeout S     seconds without data until a client is disconnected (default 30)
  --scenario FILE        faults to start with, as JSON (see docs/sandbox.md)
  --private-webhooks     also send webhooks to private networks
  --control              open the control endpoint; adds control_url to the first line
  --verbose              one line per request on stderr
  --help                 this text
`

const flags = {
  port: { type: 'string' },
  'upload-port': { type: 'string' },
  data: { type: 'string' },
  'url-lifetime': { type: 'string' },
  'processing-delay': { type: 'string' },
  'rate-limit': { type: 'string' },
  'min-part-size': { type: 'string' },
  'checksum-header': { type: 'string' },
  'client-timeout': { type: 'string' },
  'md5-etags': { type: 'boolean' },
  scenario: { type: 'string' },
  'private-webhooks': { type: 'boolean' },
  control: { type: 'boolean' },
  verbose: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

export type CliOptions =
  | { readonly kind: 'help' }
  | { readonly kind: 'run'; readonly options: SandboxOptions; readonly verbose: boolean }

/** Throws a StartError if a flag or the scenario file is invalid. */
export function readCliOptions(args: readonly string[]): CliOptions {
  const values = parseFlags(args)
  if (values.help === true) return { kind: 'help' }
  const number = (flag: keyof typeof flags, min: number, max: number) =>
    wholeNumber(flag, values[flag] as string | undefined, min, max)
  const seconds = number('client-timeout', 1, 86_400)
  const options = {
    port: number('port', 0, 65_535),
    uploadPort: number('upload-port', 0, 65_535),
    dataFolder: nonEmpty('data', values.data),
    urlLifetimeS: number('url-lifetime', 1, 604_800),
    processingDelayMs: number('processing-delay', 0, 86_400_000),
    requestsPerMinute: number('rate-limit', 1, 1_000_000_000),
    minPartBytes: number('min-part-size', 1, 512_000_000),
    clientTimeoutMs: seconds === undefined ? undefined : seconds * 1000,
    checksumHeader: headerName(values['checksum-header']),
    scenario: readScenario(nonEmpty('scenario', values.scenario)),
    md5Etags: values['md5-etags'] === true,
    control: values.control === true,
    webhookTargets:
      values['private-webhooks'] === true ? ('anywhere' as const) : ('internet-and-loopback' as const),
  }
  return { kind: 'run', options: withoutUndefined(options), verbose: values.verbose === true }
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flags, strict: true, allowPositionals: false }).values
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/\.\s/)
    throw new StartError(`${sentence.replace(/\.$/, '')}; --help lists the options.`)
  }
}

function wholeNumber(flag: string, value: string | undefined, min: number, max: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,12}$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value)
  throw new StartError(`--${flag} must be a whole number from ${min} to ${max}.`)
}

function nonEmpty(flag: string, value: string | undefined): string | undefined {
  if (value?.trim() === '') throw new StartError(`--${flag} must not be empty.`)
  return value
}

/** §4.2 names the header `x-<storage>-checksum-sha256`. A name without `x-` could be a standard HTTP header. */
function headerName(value: string | undefined): string | undefined {
  if (value === undefined || /^x-[a-z0-9-]{1,100}$/i.test(value)) return value
  throw new StartError('--checksum-header must begin with x-, like x-amz-checksum-sha256.')
}

function readScenario(path: string | undefined): Scenario | undefined {
  if (path === undefined) return undefined
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new StartError(`The scenario file ${path} cannot be read: ${(error as Error).message}.`)
  }
  const parsed = scenarioSchema.safeParse(json)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]!
  const position = issue.path.length === 0 ? '' : ` at ${z.core.toDotPath(issue.path)}`
  throw new StartError(`The scenario file ${path} is invalid${position}: ${issue.message}.`)
}

function withoutUndefined<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> }
}
