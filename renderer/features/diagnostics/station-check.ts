import { formatAgo, formatBytes, formatDuration, plural } from '../../../shared/format.ts'
import type { SecretStorage } from '../../../shared/ipc.ts'
import { asSentence } from '../../../shared/issue-sentence.ts'
import type { DraftSettings } from '../../../shared/settings.ts'
import type { FolderStatus, Status } from '../../../shared/status.ts'
import type { JournalHealth } from '../../../shared/support.ts'
import { ask, sentenceOf } from '../../data/ask.ts'
import { checkUploadHosts } from './upload-hosts.ts'

export type Finding = {
  readonly subject: string
  readonly tone: 'good' | 'warn' | 'bad'
  readonly sentence: string
}

const CLOCK_TOLERANCE_MS = 60_000

const checkClock = (offsetMs: number | null): Finding => {
  const subject = 'Clock'
  if (offsetMs === null)
    return { subject, tone: 'warn', sentence: 'Not compared yet: the service has not answered.' }
  const seconds = Math.round(Math.abs(offsetMs) / 1000)
  if (Math.abs(offsetMs) <= CLOCK_TOLERANCE_MS)
    return {
      subject,
      tone: 'good',
      sentence: `Within ${plural(Math.max(1, seconds), 'second')} of the service’s clock.`,
    }
  return {
    subject,
    tone: 'warn',
    sentence: `${formatDuration(seconds)} ${offsetMs > 0 ? 'behind' : 'ahead of'} the service’s clock. Uploads allow for it; set the PC’s clock all the same.`,
  }
}

const checkStorage = (storage: SecretStorage): Finding => {
  const subject = 'Keychain'
  if (!storage.available)
    return { subject, tone: 'warn', sentence: 'None found. The key is asked for at each start.' }
  return storage.protects
    ? { subject, tone: 'good', sentence: `The key is protected by the system (${storage.backend}).` }
    : {
        subject,
        tone: 'warn',
        sentence: 'The key is stored without protection, because there is no keychain.',
      }
}

const checkKey = async (settings: DraftSettings): Promise<Finding> => {
  const subject = 'Service and key'
  if (settings.service === undefined) return { subject, tone: 'bad', sentence: 'No service has been set up.' }
  const verdict = await ask('testKey', { baseUrl: settings.service.base_url })
  switch (verdict.kind) {
    case 'write':
      return { subject, tone: 'good', sentence: 'Reachable; the key may read and upload.' }
    case 'read':
      return { subject, tone: 'bad', sentence: 'Reachable, but the key may only read.' }
    case 'wrong':
      return { subject, tone: 'bad', sentence: 'Reachable, but the key is wrong or has been revoked.' }
    case 'unreadable-answer':
      return { subject, tone: 'bad', sentence: 'Something answers at the address, but not the service.' }
    case 'unreachable':
      return { subject, tone: 'bad', sentence: `Not reachable. ${asSentence(verdict.detail)}` }
  }
}

const checkJournal = (journal: JournalHealth, now: number): Finding => {
  const subject = 'Journal'
  if (!journal.intact)
    return {
      subject,
      tone: 'bad',
      sentence: `Damaged (${journal.trouble}). Start Sluice again: it puts the file aside and goes back to its last copy.`,
    }
  const copy =
    journal.backedUpAt === null ? 'no copy yet' : `last copied ${formatAgo(journal.backedUpAt, now)}`
  return { subject, tone: 'good', sentence: `Intact; ${formatBytes(journal.bytes)}, ${copy}.` }
}

const checkFolder = (folder: FolderStatus): Finding => {
  const subject = folder.path
  if (folder.problem !== null)
    return { subject, tone: 'bad', sentence: `${folder.problem.sentence} ${folder.problem.next}` }
  return { subject, tone: 'good', sentence: `Watched; ${plural(folder.recordings, 'recording')} from it.` }
}

/** A check that fails is a finding, not the end of the other checks. */
const finding = async (subject: string, check: () => Promise<Finding>): Promise<Finding> => {
  try {
    return await check()
  } catch (error) {
    return { subject, tone: 'bad', sentence: sentenceOf(error) }
  }
}

export const checkStation = (settings: DraftSettings, status: Status | null): Promise<readonly Finding[]> =>
  Promise.all([
    finding('Service and key', () => checkKey(settings)),
    finding('Clock', async () => checkClock(status?.station.clockOffsetMs ?? null)),
    finding('Journal', async () => checkJournal(await ask('getJournalHealth'), Date.now())),
    finding('Storage', async () => checkUploadHosts(await ask('getUploadHosts'), Date.now())),
    finding('Keychain', async () => checkStorage(await ask('getSecretStorage'))),
    ...(status?.folders ?? []).map((folder) => finding(folder.path, async () => checkFolder(folder))),
  ])
