import { cleanUp, leftoversAfterMs } from '../clean-up.ts'
import { isoTime, systemClock } from '../clock.ts'
import { hasServerData, missingData } from '../data-folder.ts'
import { onFirstEndingSignal } from '../ending-signals.ts'
import { StartError } from '../start-error.ts'
import { audit } from '../store/audit.ts'
import { keys } from '../store/keys.ts'
import { orgs } from '../store/orgs.ts'
import type { Store } from '../store/store.ts'
import { webhooks } from '../store/webhooks.ts'
import { type Command, limitOf, parseCommand, requireName, requireText } from './arguments.ts'
import { openBackEnd, openStore } from './back-end.ts'
import { checkServer } from './check-server.ts'
import { jsonLog } from './json-log.ts'
import { operatorContext } from './operator.ts'
import { createKey, createOrg, deleteWebhook, limitOrg, revokeKey, unknownOrg } from './organisations.ts'
import { runServer } from './run-server.ts'
import { flagOf, readSettings, type Settings, settingNames, settingTable } from './settings.ts'

const auditPage = 1_000

const usage = `Usage: npm run -s server -- [COMMAND] --data FOLDER
       npm run -s server -- [COMMAND] --database postgres://… --bytes s3://…

Runs the service of the contract until SIGTERM or Ctrl-C. The first line on stdout is JSON with base_url and upload_url.
At the first start with a new data folder, this line also has the key. For each request, the server writes a JSON line
to stderr.

  check                           checks database, clock, bytes, address, certificate and keys
  org create NAME                 creates an organisation and prints its ID
  org list                        shows each organisation with its limits and its usage
  org limit ID [--max-bytes N] [--max-sessions N]   sets the given limits; "none" removes a limit
  key create --org ID [--write] [--name TEXT]   creates a key and prints it; it is not shown again
  key list
  key revoke KEY-ID
  webhook list [--org ID]
  webhook delete WEBHOOK-ID       deletes a webhook endpoint and the events that wait for it
  audit [--org ID]                prints the audit log as JSON lines, oldest first
  clean-up [--dry-run]            deletes abandoned uploads and stored files that no part uses

Settings. You can also set each one in the file of --settings FILE, or in the environment, for example --upload-port as
SLUICE_SERVER_UPLOAD_PORT:

${settingNames.map((name) => `  --${flagOf(name).padEnd(24)} ${settingTable[name].help}`).join('\n')}
`

/** Runs one command, or the server if there is no command. Returns the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  try {
    const command = parseCommand(args)
    return command === 'help' ? print(usage.trimEnd()) : await runCommand(command)
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`)
    return 1
  }
}

async function runCommand({ name, argument, flags }: Command): Promise<number> {
  const settingFlags = Object.fromEntries(settingNames.map((name) => [name, flags[flagOf(name)]]))
  const file = flags.settings ?? process.env.SLUICE_SERVER_SETTINGS
  const settings = readSettings({ flags: settingFlags, env: process.env, file: file?.toString() })
  switch (name) {
    case '':
      return serve(settings)
    case 'check':
      return check(settings)
    case 'clean-up':
      return runCleanUp(settings, flags['dry-run'] === true)
    case 'org create': {
      const orgName = requireName(argument, 'The name of the organisation')
      return withNewStore(settings, async (store) =>
        print({ id: await createOrg(operatorContext(store), orgName) }),
      )
    }
    case 'org list':
      return withStore(settings, listOrgs)
    case 'org limit': {
      const changes = { max_bytes: limitOf(flags, 'max-bytes'), max_sessions: limitOf(flags, 'max-sessions') }
      if (changes.max_bytes === undefined && changes.max_sessions === undefined)
        throw new StartError('This command needs --max-bytes or --max-sessions.')
      return withStore(settings, async (store) =>
        print({ id: argument, ...(await limitOrg(operatorContext(store), argument, changes)) }),
      )
    }
    case 'key create': {
      const orgId = requireText(flags.org, '--org')
      const keyName = requireName(flags.name?.toString() ?? '', '--name')
      const newKey = { orgId, name: keyName, canWrite: flags.write === true }
      return withStore(settings, async (store) => print(await createKey(operatorContext(store), newKey)))
    }
    case 'key list':
      return withStore(settings, listKeys)
    case 'key revoke':
      return withStore(settings, async (store) => {
        await revokeKey(operatorContext(store), argument)
        return print({ id: argument, revoked: true })
      })
    case 'webhook list':
      return withStore(settings, (store) => listWebhooks(store, flags.org?.toString()))
    case 'webhook delete':
      return withStore(settings, async (store) => {
        await deleteWebhook(operatorContext(store), argument)
        return print({ id: argument, deleted: true })
      })
    case 'audit':
      return withStore(settings, (store) => printAudit(store, flags.org?.toString()))
    default:
      return name satisfies never
  }
}

async function serve(settings: Settings): Promise<number> {
  const log = jsonLog((line) => void process.stderr.write(line))
  const server = await runServer(settings, log)
  const ending = new Promise<void>((resolve) => onFirstEndingSignal(resolve))
  print(server.line)
  await ending
  log('stopping')
  await server.end()
  return 0
}

async function check(settings: Settings): Promise<number> {
  const findings = await checkServer(settings)
  for (const { subject, problem, note } of findings) print(`${subject}: ${problem ?? note ?? 'ok'}`)
  return findings.every(({ problem }) => problem === null) ? 0 : 1
}

/** Deletes abandoned uploads and leftover bytes. A server with an embedded back end must be stopped first. */
async function runCleanUp(settings: Settings, dryRun: boolean): Promise<number> {
  const { backEnd } = settings
  if (backEnd.kind === 'embedded' && !hasServerData(backEnd.folder)) throw missingData(backEnd.folder)
  const { store, bytes, close } = await openBackEnd(backEnd, { keepsLeftovers: true })
  try {
    const { abandonedAfterMs, auditRetentionMs } = settings
    // Leftovers of an embedded back end can be of any age: no upload runs while this process holds the back end.
    const leftovers = { leftoversAfterMs: backEnd.kind === 'embedded' ? 0 : leftoversAfterMs }
    const rules = { abandonedAfterMs, auditRetentionMs, ...leftovers }
    const dependencies = { store, bytes, clock: systemClock, log: () => {}, rules }
    return print({ dry_run: dryRun, ...(await cleanUp(dependencies, { dryRun })) })
  } finally {
    await close()
  }
}

async function listOrgs(store: Store): Promise<number> {
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

async function listKeys(store: Store): Promise<number> {
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

async function listWebhooks(store: Store, orgId: string | undefined): Promise<number> {
  if (orgId !== undefined && (await store.read(orgs.get(orgId))) === undefined) throw unknownOrg(orgId)
  const rows = await store.read(webhooks.listEndpoints(orgId))
  return printAll(
    rows.map(({ id, org_id, url, events, created_at }) => ({
      id,
      org_id,
      url,
      events: JSON.parse(events),
      created_at: isoTime(created_at),
    })),
  )
}

/** Prints page by page, because the log may not fit into memory. */
async function printAudit(store: Store, orgId: string | undefined): Promise<number> {
  if (orgId !== undefined && (await store.read(orgs.get(orgId))) === undefined) throw unknownOrg(orgId)
  const filter = { limit: auditPage, ...(orgId === undefined ? {} : { orgId }) }
  for (let afterSeq = 0; ; ) {
    const rows = await store.read(audit.page({ ...filter, afterSeq }))
    for (const { seq: _, at, details, ...entry } of rows)
      print({ at: isoTime(at), ...entry, ...(details === null ? {} : { details: JSON.parse(details) }) })
    const last = rows.at(-1)
    if (last === undefined) return 0
    afterSeq = last.seq
  }
}

/** Also creates a missing data folder, because the command may run before the first start of the server. */
async function withNewStore(settings: Settings, work: (store: Store) => Promise<number>): Promise<number> {
  const { backEnd } = settings
  if (backEnd.kind !== 'embedded' || hasServerData(backEnd.folder)) return withStore(settings, work)
  const { store, close } = await openBackEnd(backEnd)
  return work(store).finally(close)
}

/** Opens the store for `work`. A server may be using it at the same time. */
async function withStore(settings: Settings, work: (store: Store) => Promise<number>): Promise<number> {
  const store = await openStore(settings.backEnd)
  return work(store).finally(() => store.close())
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
