import { isDeepStrictEqual } from 'node:util'
import type { EndpointCallName } from '../../shared/ipc/endpoint-protocol.ts'
import type { CallAnswer, SaveSettingsResult } from '../../shared/ipc/ipc.ts'
import { mayMemberChange } from '../../shared/settings/member-sections.ts'
import { type DraftSettings, draftSettingsSchema } from '../../shared/settings/settings.ts'

/**
 * Hard case: A member of `control.group` uses the agent to do what the member's own account may not.
 * Members see the station and act on its recordings. Only the agent's account and root decide where data goes, what is
 * deleted and which files the agent reads.
 */

/** Every call needs an entry, so that a new call is a decision. */
const callers: Readonly<Record<EndpointCallName, 'members' | 'owner'>> = {
  getStatus: 'members',
  getStatusReport: 'members',
  getWatchSnapshot: 'members',
  getExportedRecordings: 'members',
  listRecordings: 'members',
  getRecording: 'members',
  getThroughput: 'members',
  listActivity: 'members',
  getNights: 'members',
  dismissSilence: 'members',
  dismissTake: 'members',
  learnExpectation: 'members',
  pause: 'members',
  resume: 'members',
  uploadNow: 'members',
  cancelUploadNow: 'members',
  locateRecording: 'members',
  retryRecordings: 'members',
  prioritiseRecordings: 'members',
  pauseRecordings: 'members',
  resumeRecordings: 'members',
  dismissRecordings: 'members',
  previewIgnore: 'members',
  ignoreRecordings: 'members',
  actOnPaths: 'members',
  uploadPathsNow: 'members',
  undoAction: 'members',
  getActionProgress: 'members',
  retryProblem: 'members',
  // Uploads then go to a different organisation.
  acceptOrganisation: 'owner',
  // Uploads then include files of a different drive.
  acceptReplacedFolder: 'owner',
  listSessions: 'members',
  getSession: 'members',
  deleteSession: 'owner',
  // Sends a key to an address of the caller.
  testKey: 'owner',
  createWebhookEndpoint: 'owner',
  getReceiver: 'members',
  getMonitoring: 'members',
  sendHeartbeat: 'members',
  sendTestAlert: 'members',
  checkStation: 'members',
  makeReceipt: 'members',
  getSupportFacts: 'members',
  getKnownSites: 'members',
  // These two read any folder that the caller names.
  checkFolder: 'owner',
  previewRemovals: 'owner',
  getSettings: 'members',
  // Members may change some sections, see below.
  saveSettings: 'members',
  getSecretStorage: 'members',
  saveKey: 'owner',
  forgetKey: 'owner',
  getWebhookEndpoints: 'members',
  registerWebhook: 'owner',
  forgetWebhooks: 'owner',
  saveMonitoringSecret: 'owner',
  forgetMonitoringSecret: 'owner',
  listLogLines: 'members',
  makeSupportReport: 'members',
}

const OWNER_NEEDED =
  'Only the account of the agent or an administrator may do this. Members of control.group may not.'

/** As JSON, without a field that no client can change. */
const comparable = (settings: DraftSettings): Record<string, unknown> => {
  const { service, ...rest } = JSON.parse(JSON.stringify(settings))
  if (service === undefined) return rest
  const { api_key_file: _unchangeable, ...visible } = service
  return { ...rest, service: visible }
}

const changedSections = (next: DraftSettings, current: DraftSettings): readonly string[] => {
  const [one, two] = [comparable(next), comparable(current)]
  return [...new Set([...Object.keys(one), ...Object.keys(two)])].filter(
    (section) => !isDeepStrictEqual(one[section], two[section]),
  )
}

/** The answer to a call that a member may not make. Null if the member may. */
export const refusalForMember = (
  name: EndpointCallName,
  args: unknown,
  current: DraftSettings | null,
): CallAnswer<unknown> | null => {
  if (callers[name] === 'owner') return { ok: false, error: { kind: 'refused', message: OWNER_NEEDED } }
  if (name !== 'saveSettings') return null
  const next = draftSettingsSchema.safeParse(args)
  // The settings store refuses these with the field and the reason.
  if (!next.success || current === null) return null
  const issues = changedSections(next.data, current)
    .filter((section) => !mayMemberChange(section))
    .map((path) => ({ path, message: OWNER_NEEDED }))
  if (issues.length === 0) return null
  return { ok: true, value: { ok: false, issues } satisfies SaveSettingsResult }
}
