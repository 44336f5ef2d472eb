import type { Problem, ProblemCode, ProblemOwner } from '../../../shared/status.ts'

/** Plain sentences for people: what it is, whose job it is, what happens next by itself. */
type Text = { readonly owner: ProblemOwner; readonly sentence: string; readonly next: string }

const texts: Readonly<Record<ProblemCode, Text>> = {
  'empty-file': {
    owner: 'technician',
    sentence: 'The file is empty: the recorder wrote nothing.',
    next: 'Check the recorder today. If the file is written after all, Sluice takes it by itself.',
  },
  'file-unreadable': {
    owner: 'technician',
    sentence: 'The file cannot be read.',
    next: 'Correct its rights or close the program that holds it, then retry.',
  },
  'file-vanished': {
    owner: 'technician',
    sentence: 'The file disappeared before all of it was uploaded.',
    next: 'Put it back in the folder; Sluice then carries on by itself.',
  },
  'file-keeps-changing': {
    owner: 'technician',
    sentence: 'The file changes again each time it is read.',
    next: 'Stop what writes to it. Sluice takes it once it stands still.',
  },
  'file-too-large': {
    owner: 'admin',
    sentence: 'The file is larger than the service accepts (10,000 parts of 512 MB).',
    next: 'Have the recorder write shorter files. Nothing happens by itself.',
  },
  'file-name-not-text': {
    owner: 'technician',
    sentence: 'The file name is not valid text, so the file cannot be opened.',
    next: 'Rename it. Sluice then takes it by itself.',
  },
  'file-damaged': {
    owner: 'technician',
    sentence: 'The end of the file is missing: the recorder stopped half-way.',
    next: 'Sluice uploads it as it is once it has not changed for a while.',
  },
  'folder-offline': {
    owner: 'technician',
    sentence: 'The folder is not there.',
    next: 'Connect the drive or share. Sluice looks every 15 seconds and carries on by itself.',
  },
  'folder-replaced': {
    owner: 'technician',
    sentence: 'Another drive or folder now stands at this path.',
    next: 'Confirm that it is the right one, or put the old one back.',
  },
  'folder-unreadable': {
    owner: 'admin',
    sentence: 'The folder cannot be read.',
    next: 'Give the account that runs Sluice the right to read it. Sluice tries again every 15 seconds.',
  },
  'folder-not-watched': {
    owner: 'admin',
    sentence: 'Changes in the folder are not announced by the system.',
    next: 'Sluice finds new files by looking through the folder instead, a little later.',
  },
  'name-refused': {
    owner: 'technician',
    sentence: 'The service does not accept the file name.',
    next: 'Rename the file. Sluice then takes it by itself.',
  },
  'upload-refused': {
    owner: 'service',
    sentence: 'The service refuses this upload.',
    next: 'Quote the request id to the people who run the service, then retry.',
  },
  'checksum-mismatch': {
    owner: 'service',
    sentence: 'The service keeps computing another checksum than this PC.',
    next: 'Quote the request id to the people who run the service, then retry.',
  },
  'processing-failed': {
    owner: 'service',
    sentence: 'The recording is stored, but processing it failed.',
    next: 'See the issues below. Retry sends it again as a new session.',
  },
  'session-deleted': {
    owner: 'technician',
    sentence: 'The session was deleted at the service.',
    next: 'Nothing, if that was intended. Retry uploads the recording again.',
  },
  'session-elsewhere': {
    owner: 'admin',
    sentence: 'The session belongs to another organisation than the API key.',
    next: 'Nothing happens by itself. Retry uploads the recording again, into the organisation of the key.',
  },
  'key-missing': {
    owner: 'admin',
    sentence: 'No API key is set.',
    next: 'Enter a key with write permission. Recordings are collected meanwhile.',
  },
  'key-refused': {
    owner: 'admin',
    sentence: 'The service refuses the API key: it is wrong or was revoked.',
    next: 'Enter a valid key. Recordings are collected meanwhile and nothing is lost.',
  },
  'key-read-only': {
    owner: 'admin',
    sentence: 'The API key may not upload: it lacks write permission.',
    next: 'Enter a key with write permission. Recordings are collected meanwhile and nothing is lost.',
  },
  'key-other-organisation': {
    owner: 'admin',
    sentence: 'The API key belongs to another organisation: it does not show the sessions of this station.',
    next: 'Enter the key of the old one, or accept the new one: what is unfinished is then uploaded there. Nothing is lost.',
  },
  'service-unreachable': {
    owner: 'technician',
    sentence: 'The service cannot be reached.',
    next: 'Check the network. Sluice tries again by itself.',
  },
  'service-error': {
    owner: 'service',
    sentence: 'The service answers with an error.',
    next: 'Sluice tries again by itself.',
  },
  'service-answer-unreadable': {
    owner: 'admin',
    sentence:
      'What answers at the service address is not the service, or a version that Sluice does not know.',
    next: 'Check the address and the proxy, then retry.',
  },
  'rate-limited': {
    owner: 'service',
    sentence: 'The service asks to slow down.',
    next: 'Sluice goes on by itself.',
  },
  'proxy-sign-in': {
    owner: 'admin',
    sentence: 'The proxy asks for a sign-in.',
    next: 'Set a proxy that needs none, or allow this PC. Sluice tries again by itself.',
  },
  'certificate-refused': {
    owner: 'admin',
    sentence: 'The certificate of the service or the proxy is not trusted on this PC.',
    next: 'Give the certificate of your network in the settings (ca_file). Sluice tries again by itself.',
  },
  'clock-wrong': {
    owner: 'admin',
    sentence: "This PC's clock is wrong.",
    next: 'Set the clock. Uploads go on meanwhile, by the clock of the service.',
  },
  'disk-full': {
    owner: 'technician',
    sentence: 'The disk that holds the journal is full, so nothing new can be noted.',
    next: 'Make room. Sluice carries on by itself as soon as there is some.',
  },
  'journal-damaged': {
    owner: 'admin',
    sentence: 'The journal was damaged and has been rebuilt from the folders and the service.',
    next: 'Nothing is lost. The damaged files are kept in the data folder.',
  },
  unexpected: {
    owner: 'service',
    sentence: 'Something unexpected went wrong inside Sluice.',
    next: 'Retry. If it happens again, send the log from About & diagnostics.',
  },
}

export const problemOf = (
  code: ProblemCode,
  details: { readonly detail?: string; readonly nextAtMs?: number; readonly requestId?: string | null } = {},
): Problem => {
  const text = texts[code]
  return {
    code,
    owner: text.owner,
    sentence: details.detail === undefined ? text.sentence : `${text.sentence} (${details.detail})`,
    next: text.next,
    nextAt: details.nextAtMs === undefined ? null : new Date(details.nextAtMs).toISOString(),
    requestId: details.requestId ?? null,
  }
}
