import type { AgentIdentity } from '../../shared/ipc/agent-health.ts'
import type { AgentCallName, CallAnswer, SettingsState } from '../../shared/ipc/ipc.ts'
import { type StationCallName, stationCallNames } from '../../shared/ipc/station-calls.ts'
import type { Status } from '../../shared/status/status.ts'
import {
  type EndpointPlace,
  forgetGroupPlace,
  forgetPlace,
  otherPlace,
  recordGroupPlace,
  recordPlace,
  usualPlace,
} from '../endpoint/endpoint-place.ts'
import { Endpoint, type EndpointOptions } from '../endpoint/endpoint-server.ts'
import { type GroupId, groupIdOf } from '../endpoint/group-id.ts'
import { accountName } from '../local-files/account-name.ts'
import { refusalForMember } from './member-rights.ts'
import type { Log } from './ports/clock.ts'

type Options = {
  readonly dataFolder: string
  readonly logFolder: string
  readonly settingsFile: string
  readonly host: AgentIdentity['host']
  readonly version: string
  /** The group whose members may use the agent. Null if only the agent's own account may. */
  readonly group: string | null
  readonly log: Log
  readonly answer: (name: AgentCallName, args: unknown) => Promise<CallAnswer<unknown>>
  /** Answers the calls about settings and secrets. Null if a window keeps the settings. */
  readonly answerStation: ((name: StationCallName, args: unknown) => Promise<CallAnswer<unknown>>) | null
  readonly settings: () => SettingsState | null
  readonly status: () => Status | null
  readonly reconnect: (reason: string) => void
}

const SETTINGS_IN_WINDOW: CallAnswer<never> = {
  ok: false,
  error: {
    kind: 'refused',
    message: 'A window runs this agent and keeps its settings. Change them in that window.',
  },
}

const isStationCall = (name: string): name is StationCallName =>
  stationCallNames.some((station) => station === name)

/** The group's id. For an unknown group, logs a warning and returns null, because a typo must not stop the agent. */
const resolveGroupId = (group: string | null, log: Log): GroupId | null => {
  if (group === null) return null
  const id = groupIdOf(group)
  if (id === null)
    log.warn(
      `there is no group ${group}; only the agent's own account may attach. Create the group or correct control.group, then restart the agent`,
    )
  return id
}

/** Combines the endpoint of the agent's own account and that of its group. */
export type Endpoints = Pick<Endpoint, 'clients' | 'pushStatus' | 'pushSettings' | 'close'>

const combine = (endpoints: readonly Endpoint[]): Endpoints => ({
  get clients() {
    return endpoints.reduce((sum, { clients }) => sum + clients, 0)
  },
  pushStatus: (status) => {
    for (const endpoint of endpoints) endpoint.pushStatus(status)
  },
  pushSettings: (settings) => {
    for (const endpoint of endpoints) endpoint.pushSettings(settings)
  },
  close: async () => {
    await Promise.all(endpoints.map((endpoint) => endpoint.close()))
  },
})

/** Listens for windows and commands on this PC. If that fails, the agent logs the reason and continues to upload. */
export const serveEndpoint = async (options: Options): Promise<Endpoints> => {
  const { dataFolder, log } = options
  const otherPlaceFor = (hasGroup: boolean) =>
    otherPlace(dataFolder, { platform: process.platform, environment: process.env, hasGroup })
  const agent: AgentIdentity = {
    version: options.version,
    pid: process.pid,
    account: accountName(),
    host: options.host,
    dataFolder,
    logFolder: options.logFolder,
    settingsFile: options.settingsFile,
    startedAt: new Date().toISOString(),
  }
  const sharedOptions: Omit<EndpointOptions, 'place'> = {
    groupId: null,
    agent,
    answer: async (name, args) => {
      if (!isStationCall(name)) return options.answer(name, args)
      return options.answerStation === null ? SETTINGS_IN_WINDOW : options.answerStation(name, args)
    },
    reconnect: options.reconnect,
    settings: options.settings,
    status: options.status,
    log: (sentence) => log.warn(sentence),
  }
  const openOwnAt = async (place: EndpointPlace, isUsual: boolean): Promise<Endpoint> => {
    const endpoint = await Endpoint.open({ ...sharedOptions, place })
    if (isUsual) forgetPlace(dataFolder)
    else recordPlace(dataFolder, place)
    return endpoint
  }
  const openOwn = async (): Promise<Endpoint> => {
    const usual = usualPlace(dataFolder, process.platform)
    if (usual === null) return openOwnAt(otherPlaceFor(false), false)
    return openOwnAt(usual, true).catch((error: NodeJS.ErrnoException) => {
      // Some network drives do not support sockets, so listen outside the data folder.
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL'].includes(error.code ?? '')) throw error
      return openOwnAt(otherPlaceFor(false), false)
    })
  }
  /**
   * Opens a separate socket (on Windows, a pipe) for the members of the group. The agent cannot identify its clients,
   * so every client of this socket has only the rights of a member.
   */
  const openForGroup = async (groupId: GroupId): Promise<Endpoint> => {
    const place = otherPlaceFor(true)
    const endpoint = await Endpoint.open({
      ...sharedOptions,
      place,
      groupId,
      agent: { ...agent, isMember: true },
      answer: async (name, args) =>
        refusalForMember(name, args, options.settings()?.settings ?? null) ??
        sharedOptions.answer(name, args),
    })
    // On Windows, where a group ID is a string, the pipe has a random name, so a file in the data folder names it. On
    // other systems, members know the path of the socket (`groupPlaces`).
    try {
      if (typeof groupId === 'string') recordGroupPlace(dataFolder, place, groupId)
    } catch (error) {
      await endpoint.close()
      throw error
    }
    return endpoint
  }
  const openOrLog = async (open: () => Promise<Endpoint>, why: (error: NodeJS.ErrnoException) => string) => {
    try {
      return [await open()]
    } catch (error) {
      log.warn(why(error as NodeJS.ErrnoException))
      return []
    }
  }
  const ownEndpoints = await openOrLog(
    openOwn,
    ({ message }) => `windows and commands cannot attach to this agent: ${message}`,
  )
  if (process.platform === 'win32') forgetGroupPlace(dataFolder)
  const groupId = resolveGroupId(options.group, log)
  if (groupId === null) return combine(ownEndpoints)
  const groupEndpoints = await openOrLog(
    async () => openForGroup(groupId),
    ({ code, message }) =>
      code === 'EPERM'
        ? `the agent's account is not a member of ${options.group}; only the account itself may attach`
        : `the group ${options.group} cannot attach to this agent: ${message}`,
  )
  return combine([...ownEndpoints, ...groupEndpoints])
}
