import { parseArgs } from 'node:util'
import { cleanUp, leftoversAfterMs } from '../clean-up.ts'
import { isoTime, systemClock } from '../clock.ts'
import { onEndingSignal } from '../ending-signals.ts'
import { createIdMaker, systemRandom } from '../ids.ts'
import { StartError } from '../start-error.ts'
import { audit } from '../store/audit.ts'
import { keys } from '../store/keys.ts'
import { orgs } from '../store/orgs.ts'
import { type BackEnd, openBackEnd } from './back-end.ts'
import { checkServer } from './check-server.ts'
import { jsonLog } from './json-log.ts'
import { createKey, createOrg, limitOrg, revokeKey } from './organisations.ts'
import { runServer } from './run-server.ts'
import { readSettings, type Settings, settingTable } from './settings.ts'

const auditPage = 1_000
const settingNames = Object.keys(settingTable) as (keyof typeof settingTable)[]
const flagOf = (name: string) => name.replaceAll('_', '-')

const usage = `Usage: npm run -s server -- [COMMAND] --data FOLDER
       npm run -s server -- [COMMAND] --database postgres://… --bytes s3://…

Runs the service of the contract until SIGTERM or Ctrl-C. The first line on stdout is JSON with base_url and upload_url.
At the first start with a new data folder, this line also has the key. The server writes one JSON line per request to stderr.

  check                           checks database, clock, bytes, address and keys
  org create NAME                 creates an organisation and prints its ID
  org list                        shows each organisation with its limits and its usage
  org limit ID [--max-bytes N] [--max-sessions N]   sets its limits; a missing option removes that limit
  key create --org ID [--write] [--name TEXT]   prints the key once
  key list
  key revoke KEY-ID
  audit [--org ID]                prints the audit log as JSON lines, oldest first
  clean-up [--dry-run]            deletes abandoned uploads and stored files that no part uses

Settings. You can also set each one in the file of --settings FILE, or in the environment, for example --upload-port as
SLUICE_SERVER_UPLOAD_PORT:

${settingNames.map((name) => `  --${flagOf(name).padEnd(24)} ${settingTable[name].help}`).join('\n')}
`

const options = {
  ...Object.fromEntries(settingNames.map((name) => [flagOf(name), { type: 'string' as const }])),
  settings: { type: 'string' as const },
  org: { type: 'string' as const },
  name: { type: 'string' as const },
  'max-bytes': { type: 'string' as const },
  'max-sessions': { type: 'string' as const },
  write: { type: 'boolean' as const },
  'dry-run': { type: 'boolean' as const },
  help: { type: 'boolean' as const },
}

type Flags = Readonly<Record<string, string | boolean | undefined>>

/**
 * Runs one command and returns its exit code. Without a command, it runs the server and returns after the server has
 * stopped.
 */
export async function runProgram(args: readonly string[]): Promise<number> {
  try {
    const { flags, words } = parse(args)
    if (flags.help === true) return print(usage.trimEnd())
    return await runCommand(words, flags)
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`)
    return 1
  }
}

async function runCommand(words: readonly string[], flags: Flags): Promise<number> {
  const settingFlags = Object.fromEntries(settingNames.map((name) => [name, flags[flagOf(name)]]))
  const file = flags.settings ?? process.env.SLUICE_SERVER_SETTINGS
  const settings = readSettings({ flags: settingFlags, env: process.env, file: file?.toString() })
  const [subject, verb, object] = words
  switch (words.slice(0, 2).join(' ')) {
    case '':
      return serve(settings)
    case 'check':
      return check(settings)
    case 'clean-up':
      return withBackEnd(settings, (backEnd) => runCleanUp(settings, backEnd, flags['dry-run'] === true))
    case 'org create':
      return withBackEnd(settings, async (backEnd) =>
        print({
          id: await createOrg(
            creationContextOf(backEnd),
            requireArgument(object, 'the name of the organisation'),
          ),
        }),
      )
    case 'org list':
      return withBackEnd(settings, listOrgs)
    case 'org limit': {
      const quota = { max_bytes: limitOf(flags, 'max-bytes'), max_sessions: limitOf(flags, 'max-sessions') }
      const id = requireArgument(object, 'the ID of the organisation')
      return withBackEnd(settings, async (backEnd) => {
        await limitOrg(creationContextOf(backEnd), id, quota)
        return print({ id, ...quota })
      })
    }
    case 'key create': {
      const orgId = requireArgument(flags.org?.toString(), '--org')
      const newKey = { orgId, name: flags.name?.toString() ?? '', canWrite: flags.write === true }
      return withBackEnd(settings, async (backEnd) =>
        print(await createKey(creationContextOf(backEnd), newKey)),
      )
    }
    case 'key list':
      return withBackEnd(settings, listKeys)
    case 'key revoke':
      return withBackEnd(settings, async (backEnd) => {
        const id = requireArgument(object, 'the ID of the key')
        await revokeKey(creationContextOf(backEnd), id)
        return print({ id, revoked: true })
      })
    case 'audit':
      return withBackEnd(settings, (backEnd) => printAudit(backEnd, flags.org?.toString()))
    default:
      throw new StartError(`Unknown command: ${[subject, verb].join(' ').trim()}; --help lists the commands.`)
  }
}

/** Runs the server until a signal ends it. */
async function serve(settings: Settings): Promise<number> {
  const log = jsonLog((line) => void process.stderr.write(line))
  const server = await runServer(settings, log)
  const ending = new Promise<void>((resolve) => {
    const removeListeners = onEndingSignal(() => {
      // A second signal ends the process at once.
      removeListeners()
      resolve()
    })
  })
  print(server.line)
  await ending
  log('stopping')
  await server.end()
  return 0
}

async function check(settings: Settings): Promise<number> {
  const findings = await checkServer(settings)
  for (const { subject, problem } of findings) print(`${subject}: ${problem ?? 'ok'}`)
  return findings.every(({ problem }) => problem === null) ? 0 : 1
}

async function runCleanUp(settings: Settings, { store, bytes }: BackEnd, dryRun: boolean): Promise<number> {
  const { abandonedAfterMs, auditRetentionMs } = settings
  const rules = { abandonedAfterMs, auditRetentionMs, leftoversAfterMs }
  const dependencies = { store, bytes, clock: systemClock, log: () => {}, rules }
  return print({ dry_run: dryRun, ...(await cleanUp(dependencies, { dryRun })) })
}

async function listOrgs({ store }: BackEnd): Promise<number> {
  const rows = await store.read(orgs.list())
  return printAll(
    rows.map(({ id, name, max_bytes, max_sessions, used_bytes, used_sessions }) => ({
      id,
      name,
      max_bytes,
      max_sessions,
      used: { bytes: used_bytes, sessions: used_sessions },
    })),
  )
}

function limitOf(flags: Flags, flag: string): number | null {
  const text = flags[flag]?.toString()
  if (text === undefined) return null
  if (!/^\d{1,15}$/.test(text)) throw new StartError(`--${flag} must be a whole number.`)
  return Number(text)
}

async function listKeys({ store }: BackEnd): Promise<number> {
  const rows = await store.read(keys.list())
  return printAll(
    rows.map(({ id, org_id, name, can_write, revoked, created_at }) => ({
      id,
      org_id,
      name,
      write: can_write === 1,
      revoked: revoked === 1,
      created_at: isoTime(created_at),
    })),
  )
}

/** Prints page by page, because the log may not fit into memory. */
async function printAudit({ store }: BackEnd, orgId: string | undefined): Promise<number> {
  const filter = { limit: auditPage, ...(orgId === undefined ? {} : { orgId }) }
  for (let afterSeq = 0; ; ) {
    const rows = await store.read(audit.page({ ...filter, afterSeq }))
    for (const { seq: _, at, ...entry } of rows) print({ at: isoTime(at), ...entry })
    const last = rows.at(-1)
    if (last === undefined) return 0
    afterSeq = last.seq
  }
}

async function withBackEnd(settings: Settings, work: (backEnd: BackEnd) => Promise<number>): Promise<number> {
  const backEnd = await openBackEnd(settings.backEnd)
  try {
    return await work(backEnd)
  } finally {
    await backEnd.close()
  }
}

function creationContextOf({ store }: BackEnd) {
  return { store, makeId: createIdMaker(systemRandom), random: systemRandom, now: () => systemClock.now() }
}

function parse(args: readonly string[]): { flags: Flags; words: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      strict: true,
      allowPositionals: true,
    })
    return { flags: values as Flags, words: positionals }
  } catch (error) {
    const [first = ''] = (error as Error).message.split(/\.\s/)
    throw new StartError(`${first.replace(/\.$/, '')}; --help lists the options.`)
  }
}

function requireArgument(value: string | undefined, what: string): string {
  if (value === undefined || value.trim() === '') throw new StartError(`This command needs ${what}.`)
  return value
}

function print(value: unknown): number {
  process.stdout.write(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`)
  return 0
}

function printAll(rows: readonly unknown[]): number {
  for (const row of rows) print(row)
  return 0
}

function sentenceOf(error: unknown): string {
  if (error instanceof StartError) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return `The port is taken by another program: ${message}.`
  return `The command failed: ${message}.`
}
