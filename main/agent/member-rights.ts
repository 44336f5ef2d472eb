import { isDeepStrictEqual } from 'node:util'
import type { EndpointCallName } from '../../shared/ipc/endpoint-protocol.ts'
import type { CallAnswer, SaveSettingsResult } from '../../shared/ipc/ipc.ts'
import { mayMemberChange } from '../../shared/settings/member-sections.ts'
import { type DraftSettings, draftSettingsSchema } from '../../shared/settings/settings.ts'

/**
 * Hard case: A member of `control.group` uses the agent to do what the member's own account may not do.
 * Members see the station and act on its recordings. Only the agent's account, root and Windows administrators
 * decide where data goes, what is deleted and which files the agent reads.
 */

/** Every call has an entry, so that each new call needs a decision. */
const callers: Readonly<Record<EndpointCallName, 'members' | 'owner'>> = {
  getStatus: 'members',
  getStatusReport: 'members',
  getWatchSnapshot: 'members',
  getExportedRecordings: 'members',
  listRecordings: 'members',
  getRecording: 'members',
  getTake: 'members',
  getThroughput: 'members',
  listActivity: 'members',
  getNights: 'members',
  dismissSilence: 'members',
  dismissDeviation: 'members',
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
  // The caller names the files that were edited. The agent does not check this, so it must trust the caller.
  replaceEdited: 'owner',
  uploadPathsNow: 'members',
  undoAction: 'members',
  getActionProgress: 'members',
  retryProblem: 'members',
  // After this call, uploads go to a different organisation.
  acceptOrganisation: 'owner',
  // After this call, uploads include files of a different drive.
  acceptReplacedFolder: 'owner',
  listSessions: 'members',
  getSession: 'members',
  deleteSession: 'owner',
  // Sends a key to an address that the caller chooses.
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
  // Members may change only the sections that `mayMemberChange` allows.
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
  'Only the agent’s account or an administrator may do this. Members of control.group may not.'

/** Converts the settings to plain JSON, without the field that no client can change. */
const toComparable = (settings: DraftSettings): Record<string, unknown> => {
  const { service, ...rest } = JSON.parse(JSON.stringify(settings))
  if (service === undefined) return rest
  const { api_key_file: _unchangeable, ...visible } = service
  return { ...rest, service: visible }
}

const findChangedSections = (next: DraftSettings, current: DraftSettings): readonly string[] => {
  const [after, before] = [toComparable(next), toComparable(current)]
  return [...new Set([...Object.keys(after), ...Object.keys(before)])].filter(
    (section) => !isDeepStrictEqual(after[section], before[section]),
  )
}

/** The answer to a call that a member may not make; null if the member may make this call. */
export const refusalForMember = (
  name: EndpointCallName,
  args: unknown,
  current: DraftSettings | null,
): CallAnswer<unknown> | null => {
  if (callers[name] === 'owner') return { ok: false, error: { kind: 'refused', message: OWNER_NEEDED } }
  if (name !== 'saveSettings') return null
  const parsed = draftSettingsSchema.safeParse(args)
  // The settings store refuses invalid settings itself, and names the field and the reason. If a window stores the
  // settings, `current` is null, and the agent refuses every call that saves settings.
  if (!parsed.success || current === null) return null
  const issues = findChangedSections(parsed.data, current)
    .filter((section) => !mayMemberChange(section))
    .map((path) => ({ path, message: OWNER_NEEDED }))
  if (issues.length === 0) return null
  return { ok: true, value: { ok: false, issues } satisfies SaveSettingsResult }
}
