import { lstatSync, readFileSync } from 'node:fs'
import type { AgentIdentity } from '../../shared/ipc/agent-health.ts'
import { type Finding, pass, warn } from '../../shared/ipc/station-check.ts'
import { type Paths, pathsOf } from '../../shared/paths/paths.ts'
import { groupPipe, groupPlaces, serviceDataFolder } from '../endpoint/endpoint-place.ts'
import { type GroupId, groupIdOf } from '../endpoint/group-id.ts'
import { pipeMembers } from '../endpoint/windows-pipe.ts'
import { ownDataFolder } from './program/own-data-folder.ts'
import { findAgentWithFolders } from './running-agent.ts'

/** The checks of `doctor` about the agents of this PC. */

/** A program that only looks like an agent must not delay the other checks. */
const SEARCH_TIMEOUT_MS = 5_000
const MAX_HOMES = 200
const FIRST_USER_ID = 1_000
const HOME_FIELD = 5

const isWindows = process.platform === 'win32'

const hasGroupEndpoint = (dataFolder: string, groupId: GroupId): boolean => {
  if (!isWindows) return hasGroupSocket(dataFolder, groupId)
  const pipe = groupPipe(dataFolder)
  return pipe !== null && (pipeMembers(pipe.path)?.some((sid) => sid === groupId) ?? false)
}

const hasGroupSocket = (dataFolder: string, groupId: GroupId): boolean =>
  groupPlaces(dataFolder).some(({ path }) => {
    try {
      const stats = lstatSync(path)
      return stats.isSocket() && stats.gid === groupId
    } catch {
      return false
    }
  })

/** Reports who may attach to the running agent. Warns if the members of `control.group` cannot attach. */
export const attachFindings = (
  { account, dataFolder }: Pick<AgentIdentity, 'account' | 'dataFolder'>,
  group: string | null,
): readonly Finding[] => {
  const subject = 'Who may attach'
  const administrators = isWindows ? 'administrators' : 'root'
  if (group === null)
    return [
      { subject, ...pass(`The account ${account} and ${administrators}. No group is set in control.group.`) },
    ]
  const groupId = groupIdOf(group)
  if (groupId === null)
    return [
      {
        subject,
        ...warn(
          `Only the account ${account} and ${administrators}: this PC has no group ${group}.`,
          'Create the group or correct control.group, then restart the agent.',
        ),
      },
    ]
  if (hasGroupEndpoint(dataFolder, groupId))
    return [{ subject, ...pass(`The account ${account}, ${administrators} and the members of ${group}.`) }]
  return [
    {
      subject,
      ...warn(
        `Only the account ${account} and ${administrators}: the agent has no endpoint for the group ${group}.`,
        `${isWindows ? 'Restart the agent' : `Make sure that ${account} is a member of the group, and restart the agent`}. If this does not help, the agent’s log shows the reason.`,
      ),
    },
  ]
}

/**
 * Warns that the files of `--settings` and `--managed` were not checked, because the agent of a different account did
 * the checks with its own settings.
 */
export const unusedFileFindings = (
  { account }: Pick<AgentIdentity, 'account'>,
  files: readonly (string | null)[],
): readonly Finding[] =>
  files.flatMap((file) =>
    file === null
      ? []
      : {
          subject: 'Settings file',
          ...warn(
            `${file} was not checked: the running agent of the account ${account} did the checks, with its own settings.`,
            `Run “sluice settings check ${file}” to check the file.`,
          ),
        },
  )

const homeFolders = (): readonly string[] => {
  try {
    return readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .filter(([, , uid]) => Number(uid) >= FIRST_USER_ID)
      .flatMap((fields) => fields[HOME_FIELD] || [])
      .slice(0, MAX_HOMES)
  } catch {
    return []
  }
}

/** The usual data folders of the background service and of this user. For root, also the folders of the other users. */
const usualDataFolders = (): readonly string[] => {
  const { platform, env } = process
  const userFolders =
    process.geteuid?.() === 0 ? homeFolders().map((home) => ownDataFolder(platform, {}, home)) : []
  return [serviceDataFolder(platform, env), ownDataFolder(platform, env), ...userFolders]
}

const sharedFolder = (own: readonly string[], other: readonly string[], paths: Paths): string | undefined =>
  own.find((one) =>
    other.some((two) => paths.same(one, two) || paths.contains(one, two) || paths.contains(two, one)),
  )

/**
 * Hard case: Two agents watch the same folder.
 * Each agent has its own journal, so both upload each recording. `doctor` compares the folders of the agents that it
 * finds on this PC.
 */
export const findSecondAgents = async (dataFolder: string): Promise<readonly Finding[]> => {
  const ownAgent = await findAgentWithFolders(dataFolder)
  if (ownAgent === null) return []
  const paths = pathsOf(process.platform)
  const candidates = new Set(usualDataFolders().map((folder) => paths.resolve(process.cwd(), folder)))
  const search = Promise.all([...candidates].map(findAgentWithFolders))
  const timeout = new Promise<readonly null[]>((resolve) => {
    setTimeout(() => resolve([]), SEARCH_TIMEOUT_MS).unref()
  })
  const agents = await Promise.race([search, timeout])
  return agents.flatMap((other) => {
    if (other === null || other.agent.pid === ownAgent.agent.pid) return []
    const folder = sharedFolder(ownAgent.folders, other.folders, paths)
    if (folder === undefined) return []
    const { account, dataFolder: otherDataFolder } = other.agent
    return [
      {
        subject: 'Second agent',
        ...warn(
          `An agent of the account ${account} with the data folder ${otherDataFolder} watches ${folder} too, so each recording is uploaded twice.`,
          'Stop one of the agents, or remove the folder from its settings.',
        ),
      },
    ]
  })
}
