import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, realpathSync, rmSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { pathsOf } from '../../shared/paths/paths.ts'
import { writeDurably } from '../local-files/durable-file.ts'
import { readPlainFile } from '../local-files/plain-file.ts'
import { isOpenToOthers, makeTemporaryFolder, temporaryFoldersOf } from './temporary-folder.ts'
import { admitGroup, isOwnPipe } from './windows-pipe.ts'

/**
 * Where an agent listens for windows and commands of this PC. On Windows, the place is a pipe. On Linux and macOS, it
 * is a socket in the data folder, or elsewhere if the path is too long or the drive does not support sockets. If the
 * place is not in the data folder, a file in the data folder names the place. Members of `control.group` cannot read
 * the data folder. So on Linux and macOS, they derive the path of the group's socket from the path and the owner of the
 * data folder.
 */

/** The system's limit for the path of a socket, without the final zero byte. */
const MAX_PATH_BYTES = { darwin: 103, other: 107 } as const
const MAX_RECORD_BYTES = 16 * 1024

type Environment = Readonly<Record<string, string | undefined>>

/** On Linux: the data folder of the background service, and the socket for its group. */
export const SYSTEM_DATA_FOLDER = '/var/lib/sluice'
const SYSTEM_SOCKET = '/run/sluice/agent.sock'

/**
 * On each system: the data folder of the background service. On Windows and macOS, the managed settings are in its
 * parent folder.
 */
export const serviceDataFolder = (platform: NodeJS.Platform, environment: Environment): string => {
  switch (platform) {
    case 'win32':
      return pathsOf(platform).join(environment.ProgramData || 'C:\\ProgramData', 'Sluice\\data')
    case 'darwin':
      return '/Library/Application Support/Sluice/data'
    default:
      return SYSTEM_DATA_FOLDER
  }
}

export type EndpointPlace = {
  readonly path: string
  /**
   * Windows only: the file that names the pipe also contains this token. A client sends the token in its hello, to
   * prove that it may read the file.
   */
  readonly token: string | null
}

/** The agent's place cannot be used, usually because another account controls it. The message is for users. */
class ForeignEndpointError extends Error {}

const recordSchema = z.object({ path: z.string().max(1_000), token: z.string().max(200).nullable() })
const recordOf = (dataFolder: string): string => path.join(dataFolder, 'agent-endpoint.json')
/** Windows only: names the pipe of the group. The group may read this file, and no other file of the data folder. */
const groupRecordOf = (dataFolder: string): string => path.join(dataFolder, 'agent-group.json')
const socketIn = (dataFolder: string): string => path.join(dataFolder, 'agent.sock')

const isTooLong = (socket: string, platform: NodeJS.Platform): boolean =>
  Buffer.byteLength(socket) > (platform === 'darwin' ? MAX_PATH_BYTES.darwin : MAX_PATH_BYTES.other)

/** A short name for the data folder. A link in the path does not change the name. */
const shortNameOf = (dataFolder: string): string =>
  createHash('sha256').update(realpathSync(dataFolder)).digest('hex').slice(0, 16)

const ownSocketName = (dataFolder: string): string => `${shortNameOf(dataFolder)}.sock`
const groupSocketName = (dataFolder: string): string => `${shortNameOf(dataFolder)}-group.sock`

/**
 * A folder that only this account can change. The path of the folder is short. With `hasGroup`, every account can enter
 * the folder, and the rights of the socket admit only the group.
 */
const makeRuntimeFolder = (environment: Environment, hasGroup: boolean): string => {
  const { RUNTIME_DIRECTORY, XDG_RUNTIME_DIR } = environment
  const [ofService] = RUNTIME_DIRECTORY?.split(':') ?? []
  if (ofService) {
    const isNew = makeOwnFolder(ofService)
    // If systemd has created this folder, its mode stays as it is.
    if (hasGroup && isNew) chmodSync(ofService, 0o711)
    return ofService
  }
  // Only this account can enter XDG_RUNTIME_DIR, so members of a group could not reach a socket in it.
  if (XDG_RUNTIME_DIR && !hasGroup) {
    const folder = path.join(XDG_RUNTIME_DIR, 'sluice')
    try {
      makeOwnFolder(folder)
      return folder
    } catch {
      // After `su`, the variable may still name the folder of a different user.
    }
  }
  const folder = makeTemporaryFolder(process.geteuid?.() ?? 0)
  if (hasGroup) chmodSync(folder, 0o711)
  return folder
}

/** Returns whether the folder is new. */
const makeOwnFolder = (folder: string): boolean => {
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
  const stats = lstatSync(folder)
  if (!stats.isDirectory() || stats.uid !== process.geteuid?.() || isOpenToOthers(stats))
    throw new ForeignEndpointError(
      `Other accounts can change ${folder}, so the agent does not listen in it. Remove it.`,
    )
  return isNew
}

/** The place in the data folder. Null on Windows, or if the path is too long for a socket. */
export const usualPlace = (dataFolder: string, platform: NodeJS.Platform): EndpointPlace | null => {
  const socket = socketIn(dataFolder)
  return platform === 'win32' || isTooLong(socket, platform) ? null : { path: socket, token: null }
}

/** A place outside the data folder. */
export const otherPlace = (
  dataFolder: string,
  { platform, environment, hasGroup }: OtherPlaceOptions,
): EndpointPlace => {
  if (platform === 'win32')
    return {
      // The name is random, so no program can create the pipe before the agent does.
      path: `\\\\.\\pipe\\sluice-${randomBytes(16).toString('hex')}`,
      token: randomBytes(32).toString('hex'),
    }
  const folder = makeRuntimeFolder(environment, hasGroup)
  const isOfService = environment.RUNTIME_DIRECTORY !== undefined
  const name = hasGroup
    ? isOfService
      ? 'agent.sock'
      : groupSocketName(dataFolder)
    : ownSocketName(dataFolder)
  const socket = path.join(folder, name)
  if (isTooLong(socket, platform))
    throw new ForeignEndpointError(`The path ${socket} is too long for a socket.`)
  return { path: socket, token: null }
}

type OtherPlaceOptions = {
  readonly platform: NodeJS.Platform
  readonly environment: Environment
  readonly hasGroup: boolean
}

export const recordPlace = (dataFolder: string, place: EndpointPlace): void =>
  writeDurably(recordOf(dataFolder), `${JSON.stringify(place)}\n`)

export const forgetPlace = (dataFolder: string): void => rmSync(recordOf(dataFolder), { force: true })

/** Windows only. Throws if the group cannot get the right to read the record. */
export const recordGroupPlace = (dataFolder: string, place: EndpointPlace, groupSid: string): void => {
  const record = groupRecordOf(dataFolder)
  // The new file has only the rights of the data folder, so a group in earlier settings loses its access.
  writeDurably(record, `${JSON.stringify(place)}\n`)
  admitGroup({ dataFolder, record }, groupSid)
}

export const forgetGroupPlace = (dataFolder: string): void =>
  rmSync(groupRecordOf(dataFolder), { force: true })

const statsOf = (file: string): Stats | null => {
  try {
    return lstatSync(file)
  } catch {
    return null
  }
}

const readRecord = (file: string, isTrusted: (stats: Stats) => boolean): EndpointPlace | null => {
  const found = statsOf(file)
  if (found === null || !isTrusted(found)) return null
  try {
    const { bytes, stats } = readPlainFile(file, MAX_RECORD_BYTES)
    return isTrusted(stats) ? recordSchema.parse(JSON.parse(bytes.toString('utf8'))) : null
  } catch {
    return null
  }
}

/** Windows only: the group's pipe. Null if this account may not read its name. The client checks who owns the pipe. */
export const groupPipe = (dataFolder: string): EndpointPlace | null =>
  readRecord(groupRecordOf(dataFolder), () => true)

/** The accounts whose endpoint a client may trust: the owner of the data folder, this user and root. */
const trustedAccounts = (dataFolder: string): ReadonlySet<number> =>
  new Set([0, process.geteuid?.() ?? 0, statSync(dataFolder).uid])

const isOwn = (socket: string, trusted: ReadonlySet<number>): boolean => {
  const own = statsOf(socket)
  if (own === null) return false
  // Follow links: the data folder itself may be a link.
  const folder = statSync(path.dirname(socket))
  return own.isSocket() && trusted.has(own.uid) && trusted.has(folder.uid) && !isOpenToOthers(folder)
}

/**
 * Throws a ForeignEndpointError if no socket is at the path, or if an account outside `trusted` owns or could replace
 * the socket.
 */
const requireOwn = (socket: string, trusted: ReadonlySet<number>): void => {
  if (statsOf(socket)?.isSocket() === false)
    throw new ForeignEndpointError(
      `${socket} is not a socket, so no window or command can attach to the agent. Remove it, and restart the agent.`,
    )
  if (!isOwn(socket, trusted))
    throw new ForeignEndpointError(
      `${socket} does not belong to the account of the agent, so Sluice does not connect to it. Remove it.`,
    )
}

/**
 * Checks who owns the socket that this process is connected to. False if the agent has just removed the socket. Throws
 * a ForeignEndpointError if no trusted account owns the socket.
 */
export const requireOwnSocket = (socket: string, dataFolder: string): boolean => {
  if (statsOf(socket) === null) return false
  requireOwn(socket, trustedAccounts(dataFolder))
  return true
}

const serviceGroupPlaces = (dataFolder: string, systemSocket = SYSTEM_SOCKET): readonly EndpointPlace[] =>
  path.resolve(dataFolder) === SYSTEM_DATA_FOLDER ? [{ path: systemSocket, token: null }] : []

const temporaryGroupPlaces = (dataFolder: string): readonly EndpointPlace[] =>
  temporaryFoldersOf(statSync(dataFolder).uid).map((folder) => ({
    path: path.join(folder, groupSocketName(dataFolder)),
    token: null,
  }))

/** The places where an agent may listen for its group. A client can find them without access to the data folder. */
export const groupPlaces = (dataFolder: string): readonly EndpointPlace[] => [
  ...serviceGroupPlaces(dataFolder),
  ...temporaryGroupPlaces(dataFolder),
]

/**
 * The place where the agent of this data folder listens, or null. Throws a ForeignEndpointError if something else is at
 * the place, or if another account controls it.
 */
export const findPlace = (
  dataFolder: string,
  platform: NodeJS.Platform = process.platform,
  systemSocket = SYSTEM_SOCKET,
): EndpointPlace | null => {
  if (statsOf(dataFolder) === null) return null
  // Only the agent's account and administrators can read the agent's record. Group members use the group's record.
  if (platform === 'win32') return readRecord(recordOf(dataFolder), () => true) ?? groupPipe(dataFolder)
  const trusted = trustedAccounts(dataFolder)
  const usual = usualPlace(dataFolder, platform)
  const candidates = [
    usual,
    readRecord(recordOf(dataFolder), ({ uid }) => trusted.has(uid)),
    // Group members cannot read the data folder, so they find only the places below.
    ...serviceGroupPlaces(dataFolder, systemSocket),
    // Any user can put a socket into a folder in /tmp. Skip foreign sockets, because `requireOwn` throws for them.
    ...temporaryGroupPlaces(dataFolder).filter((place) => isOwn(place.path, trusted)),
  ]
  const found = candidates.find((place) => place !== null && statsOf(place.path) !== null) ?? null
  if (found !== null) requireOwn(found.path, trusted)
  return found
}

/**
 * Checks who owns the pipe that this process is connected to. Returns false while Windows does not report the owner.
 * Throws a ForeignEndpointError if no trusted account owns the pipe.
 */
export const requireOwnPipe = (pipe: string, dataFolder: string): boolean => {
  const serviceFolder = serviceDataFolder(process.platform, process.env)
  const isOfService = pathsOf(process.platform).same(path.resolve(dataFolder), serviceFolder)
  const isOwn = isOwnPipe(pipe, { dataFolder, isOfService })
  if (isOwn === false)
    throw new ForeignEndpointError(
      `The pipe ${pipe} does not belong to the account of the agent, so Sluice does not connect to it. Restart the agent.`,
    )
  return isOwn === true
}

/**
 * Removes the socket of an agent that was killed. The caller holds the lock of the data folder, so no agent uses the
 * socket.
 */
export const removeStale = (socket: string): void => {
  const stats = statsOf(socket)
  if (stats === null) return
  if (!stats.isSocket() || stats.uid !== process.geteuid?.())
    throw new ForeignEndpointError(
      `${socket} is in the way and does not belong to this agent, so windows cannot attach. Remove it.`,
    )
  rmSync(socket)
}
