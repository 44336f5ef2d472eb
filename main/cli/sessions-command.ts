import { systemClock } from '../../shared/clock/clock.ts'
import { plural } from '../../shared/words/format.ts'
import { isUsableId } from '../agent/domain/usable-id.ts'
import type { RemoteSession, ServiceClient, SessionFilter } from '../agent/ports/service.ts'
import { defineCommand, settingsOptions } from './program/command.ts'
import type { CommandInput } from './program/command-input.ts'
import { periodOf, periodOptions } from './receipt-command.ts'
import { requestWithRetry } from './request-with-retry.ts'
import { sessionJson, sessionLine, sessionLines } from './session-json.ts'
import { stationSettings, warn, withService } from './station-settings.ts'
import { printJson, printLine } from './terminal.ts'

/** §3 */
const statuses = ['uploading', 'uploaded', 'processing', 'processed', 'failed'] as const
/** §4.5 */
const MAX_PAGE_SIZE = 500
const DEFAULT_SESSIONS = 50
const MAX_SESSIONS = 100_000

/** Checks the settings and the key, connects to the service, and calls `use`. */
export const withStationService = <T>(
  input: CommandInput<'settings' | 'managed'>,
  use: (service: ServiceClient) => Promise<T>,
): Promise<T> => {
  const station = stationSettings(input)
  warn(station.warnings)
  return withService(station, use)
}

/** Refuses unusual IDs: the ID becomes part of a URL path, where `..` would select a different resource. */
export const sessionIdOf = (input: Pick<CommandInput, 'operands' | 'refuse'>): string => {
  const id = input.operands[0] ?? ''
  if (!isUsableId(id)) throw input.refuse(`"${id}" is not a session ID. Session IDs look like ses_4fT9.`)
  return id
}

const isoOf = (ms: number): string => new Date(ms).toISOString()

const listSessions = async (service: ServiceClient, filter: SessionFilter, maxSessions: number) => {
  const sessions: RemoteSession[] = []
  let cursor: string | null = null
  do {
    const limit = Math.min(MAX_PAGE_SIZE, maxSessions - sessions.length)
    const page: SessionFilter = { ...filter, limit, ...(cursor === null ? {} : { cursor }) }
    const { value } = await requestWithRetry((signal) => service.listSessions(page, signal))
    sessions.push(...value.sessions)
    cursor = value.nextCursor
  } while (cursor !== null && sessions.length < maxSessions)
  return { sessions: sessions.slice(0, maxSessions), hasMore: cursor !== null }
}

export const sessionsListCommand = defineCommand({
  name: 'sessions list',
  group: 'view',
  summary: 'list the sessions at the service',
  about: [
    `Lists the sessions that the API key may read, of all stations, in the order of the service. Shows the first ${DEFAULT_SESSIONS} unless you set --most.`,
  ],
  data: 'own',
  options: {
    site: { value: { kind: 'text', name: 'SITE' }, summary: 'only sessions of this site' },
    status: {
      value: { kind: 'choice', name: 'STATUS', of: statuses },
      summary: `only sessions with this status: ${statuses.join(', ')}`,
    },
    since: {
      ...periodOptions.since,
      summary:
        'only sessions created since this time: 2026-03-01, 2026-03-01T18:00, or 7d for seven days ago',
    },
    until: { ...periodOptions.until, summary: 'only sessions created until this day, inclusive' },
    most: {
      value: { kind: 'text', name: 'NUMBER' },
      summary: `maximum number of sessions (default: ${DEFAULT_SESSIONS})`,
    },
    ...settingsOptions,
  },
  json: 'sessions as the service returns them, without upload URLs; more (true if the service has more sessions than these).',
  exits: { 0: 'done' },
  examples: [
    'sluice sessions list --status failed',
    'sluice sessions list --site "Hall 3" --most 500 --json',
  ],
  run: async (input) => {
    const [site, status] = [input.text('site'), input.choice('status', statuses)]
    const { sinceMs, untilMs } = periodOf(input)
    const maxSessions = input.wholeNumber('most', MAX_SESSIONS) ?? DEFAULT_SESSIONS
    const filter: SessionFilter = {
      ...(site === null ? {} : { site }),
      ...(status === null ? {} : { status }),
      ...(sinceMs === null ? {} : { createdFrom: isoOf(sinceMs) }),
      ...(untilMs === null ? {} : { createdBefore: isoOf(untilMs) }),
    }
    const { sessions, hasMore } = await withStationService(input, (service) =>
      listSessions(service, filter, maxSessions),
    )
    if (input.json) {
      printJson({ sessions: sessions.map(sessionJson), more: hasMore })
      return 0
    }
    if (sessions.length === 0) printLine('No matching sessions.')
    for (const session of sessions) printLine(sessionLine(session, systemClock.wallMs()))
    if (hasMore) printLine(`There are more than these ${plural(sessions.length, 'session')}: use --most.`)
    return 0
  },
})

export const sessionsShowCommand = defineCommand({
  name: 'sessions show',
  group: 'view',
  summary: 'show one session with its channels and issues',
  about: ['Shows the session as the service returns it.'],
  data: 'own',
  operands: [{ value: { kind: 'text', name: 'ID' }, summary: 'the ID of a session', required: true }],
  options: settingsOptions,
  json: 'The session as the service returns it, without upload URLs.',
  exits: { 0: 'done' },
  examples: ['sluice sessions show ses_4fT9'],
  run: async (input) => {
    const id = sessionIdOf(input)
    const { value } = await withStationService(input, (service) =>
      requestWithRetry((signal) => service.retrieveSession(id, signal)),
    )
    if (input.json) printJson(sessionJson(value))
    else for (const line of sessionLines(value, systemClock.wallMs())) printLine(line)
    return 0
  },
})
