import type { EndsBy, Problem, ProblemCode, ProblemOwner } from '../../../shared/status.ts'

/** Plain sentences for people: what it is, whose job it is, what ends it, what happens next by itself. */
type Text = {
  readonly owner: ProblemOwner
  readonly sentence: string
  readonly next: string
  /** Unless the policy knows better. */
  readonly endsBy: EndsBy
}

const texts: Readonly<Record<ProblemCode, Text>> = {
  'empty-file': {
    owner: 'technician',
    sentence: 'The file is empty: the recorder wrote nothing.',
    next: 'Check the recorder today. If the file is written after all, Sluice takes it by itself.',
    endsBy: 'file',
  },
  'file-busy': {
    owner: 'technician',
    sentence: 'The file cannot be read just now.',
    next: 'Sluice tries again by itself and goes on as soon as it can.',
    endsBy: 'time',
  },
  'file-unreadable': {
    owner: 'technician',
    sentence: 'The file cannot be read.',
    next: 'Correct its rights. Sluice tries again by itself.',
    endsBy: 'file',
  },
  'file-vanished': {
    owner: 'technician',
    sentence: 'The file disappeared before all of it was uploaded.',
    next: 'Put it back in the folder; Sluice then carries on by itself.',
    endsBy: 'file',
  },
  'file-too-large': {
    owner: 'admin',
    sentence: 'The file is larger than the service accepts (10,000 parts of 512 MB).',
    next: 'Have the recorder write shorter files.',
    endsBy: 'file',
  },
  'file-name-not-text': {
    owner: 'technician',
    sentence: 'The file name is not valid text, so the file cannot be opened.',
    next: 'Rename it. Sluice then takes it by itself.',
    endsBy: 'file',
  },
  'file-damaged': {
    owner: 'technician',
    sentence: 'The end of the file is missing: the recorder stopped half-way.',
    next: 'Sluice uploads it as it is once it has not changed for a while.',
    endsBy: 'time',
  },
  'folder-offline': {
    owner: 'technician',
    sentence: 'The folder is not there.',
    next: 'Connect the drive or share. Sluice looks every 15 seconds and carries on by itself.',
    endsBy: 'file',
  },
  'folder-replaced': {
    owner: 'technician',
    sentence: 'Another drive or folder now stands at this path.',
    next: 'Confirm that it is the right one, or put the old one back.',
    endsBy: 'person',
  },
  'folder-unreadable': {
    owner: 'admin',
    sentence: 'The folder cannot be read.',
    next: 'Give the account that runs Sluice the right to read it. Sluice tries again every 15 seconds.',
    endsBy: 'file',
  },
  'folder-not-watched': {
    owner: 'admin',
    sentence: 'Changes in the folder are not announced by the system.',
    next: 'Sluice finds new files by looking through the folder instead, a little later, and tries to listen again.',
    endsBy: 'time',
  },
  'site-refused': {
    owner: 'admin',
    sentence: 'The service does not accept the site name.',
    next: 'Correct the site of the folder in the settings. Sluice then goes on by itself.',
    endsBy: 'settings',
  },
  'device-refused': {
    owner: 'admin',
    sentence: 'The service does not accept the device name.',
    next: 'Correct the device of the folder in the settings. Sluice then goes on by itself.',
    endsBy: 'settings',
  },
  'notes-refused': {
    owner: 'admin',
    sentence: 'The service does not accept the notes.',
    next: 'Correct the notes of the folder in the settings. Sluice then goes on by itself.',
    endsBy: 'settings',
  },
  'placeholder-unfilled': {
    owner: 'admin',
    sentence: 'The site, device or notes of the folder cannot be filled in for this file.',
    next: 'Correct the folder in the settings, or put the file where it belongs. Sluice then goes on by itself.',
    endsBy: 'settings',
  },
  'name-refused': {
    owner: 'technician',
    sentence: 'The service does not accept the file name.',
    next: 'Rename the file. Sluice then takes it by itself.',
    endsBy: 'file',
  },
  'part-size-refused': {
    owner: 'admin',
    sentence: 'The service does not accept the part size.',
    next: 'Correct the part size of the folder in the settings, or leave it out. Sluice then goes on by itself.',
    endsBy: 'settings',
  },
  'size-refused': {
    owner: 'admin',
    sentence: 'The service does not accept a file of this size.',
    next: 'Have the recorder write files of another size, or ask the people who run the service. Sluice asks again every hour.',
    endsBy: 'file',
  },
  'checksum-refused': {
    owner: 'service',
    sentence: 'The service does not accept the checksum of the file.',
    next: 'Quote the request id to the people who run the service. Sluice asks again every hour.',
    endsBy: 'answer',
  },
  'parts-impossible': {
    owner: 'service',
    sentence: 'The service wants the file in parts that its own rules do not allow.',
    next: 'Quote the request id to the people who run the service. Sluice asks again every hour.',
    endsBy: 'answer',
  },
  'upload-refused': {
    owner: 'service',
    sentence: 'The service refuses this upload.',
    next: 'Quote the request id to the people who run the service. Sluice asks again every hour.',
    endsBy: 'answer',
  },
  'checksum-mismatch': {
    owner: 'service',
    sentence: 'The service keeps computing another checksum than this PC.',
    next: 'Quote the request id to the people who run the service. Sluice sends it again every hour.',
    endsBy: 'answer',
  },
  'completion-pending': {
    owner: 'service',
    sentence: 'The service is still busy with an earlier request about this recording.',
    next: 'Sluice asks again by itself.',
    endsBy: 'time',
  },
  'processing-failed': {
    owner: 'service',
    sentence: 'The recording is stored, but processing it failed.',
    next: 'Tell the service’s support, with the request id. Trying again sends it as a new session.',
    endsBy: 'person',
  },
  'session-deleted': {
    owner: 'technician',
    sentence: 'The session was deleted at the service.',
    next: 'Nothing, if that was intended. Trying again uploads the recording once more.',
    endsBy: 'person',
  },
  'session-elsewhere': {
    owner: 'admin',
    sentence: 'The session belongs to another organisation than the API key.',
    next: 'Trying again uploads the recording into the organisation of the key.',
    endsBy: 'person',
  },
  'key-missing': {
    owner: 'admin',
    sentence: 'No API key is set.',
    next: 'Enter a key with write permission. Recordings are collected meanwhile.',
    endsBy: 'key',
  },
  'key-refused': {
    owner: 'admin',
    sentence: 'The service refuses the API key: it is wrong or was revoked.',
    next: 'Enter a valid key. Recordings are collected meanwhile and nothing is lost.',
    endsBy: 'key',
  },
  'key-read-only': {
    owner: 'admin',
    sentence: 'The API key may not upload: it lacks write permission.',
    next: 'Enter a key with write permission. Recordings are collected meanwhile and nothing is lost.',
    endsBy: 'key',
  },
  'key-other-organisation': {
    owner: 'admin',
    sentence: 'The API key belongs to another organisation: it does not show the sessions of this station.',
    next: 'Enter the key of the old one, or accept the new one: what is unfinished is then uploaded there. Nothing is lost.',
    endsBy: 'person',
  },
  'service-unreachable': {
    owner: 'technician',
    sentence: 'The service cannot be reached.',
    next: 'Sluice tries again by itself. If it lasts, check the network.',
    endsBy: 'time',
  },
  'service-error': {
    owner: 'service',
    sentence: 'The service answers with an error.',
    next: 'Sluice tries again by itself.',
    endsBy: 'time',
  },
  'service-answer-unreadable': {
    owner: 'admin',
    sentence:
      'What answers at the service address is not the service, or a version that Sluice does not know.',
    next: 'Sluice tries again by itself. If it lasts, check the network’s sign-in page, the address and the proxy.',
    endsBy: 'time',
  },
  'rate-limited': {
    owner: 'service',
    sentence: 'The service asks to slow down.',
    next: 'Sluice goes on by itself.',
    endsBy: 'time',
  },
  'storage-unreachable': {
    owner: 'technician',
    sentence: 'The storage of the service cannot be reached.',
    next: 'Sluice tries again by itself. If it lasts, check the network and its firewall.',
    endsBy: 'time',
  },
  'storage-error': {
    owner: 'service',
    sentence: 'The storage of the service answers with an error.',
    next: 'Sluice tries again by itself.',
    endsBy: 'time',
  },
  'storage-answer-unreadable': {
    owner: 'admin',
    sentence: 'What answers in place of the storage is not the storage.',
    next: 'Sluice tries again by itself. If it lasts, check the network’s sign-in page and the proxy.',
    endsBy: 'time',
  },
  'upload-host-refused': {
    owner: 'admin',
    sentence: 'The service names a host for the parts of recordings that they may not go to.',
    next: 'Ask the people who run the service whether the host is theirs. If it is, allow it in the settings (service.upload_hosts). Sluice tries again by itself.',
    endsBy: 'settings',
  },
  'storage-busy': {
    owner: 'service',
    sentence: 'The storage asks to slow down.',
    next: 'Sluice goes on by itself.',
    endsBy: 'time',
  },
  'proxy-sign-in': {
    owner: 'admin',
    sentence: 'The proxy asks for a sign-in.',
    next: 'Set a proxy that needs none, or allow this PC. Sluice tries again by itself.',
    endsBy: 'settings',
  },
  'certificate-refused': {
    owner: 'admin',
    sentence: 'The certificate of the service or the proxy is not trusted on this PC.',
    next: 'Give the certificate of your network in the settings (ca_file). Sluice tries again by itself.',
    endsBy: 'settings',
  },
  'managed-settings-bad': {
    owner: 'admin',
    sentence: 'The settings that the administrator rolls out could not be used.',
    next: 'Correct the file; Sluice takes it up by itself. Until then the last good settings hold.',
    endsBy: 'settings',
  },
  'clock-wrong': {
    owner: 'admin',
    sentence: 'This PC’s clock is wrong.',
    next: 'Set the clock. Uploads go on meanwhile, by the clock of the service.',
    endsBy: 'person',
  },
  'webhook-port-taken': {
    owner: 'admin',
    sentence: 'Events of the service cannot be received: another program uses the port.',
    next: 'Choose another port in the settings, or end that program. Sluice asks the service meanwhile, and tries again by itself.',
    endsBy: 'settings',
  },
  'webhook-address-missing': {
    owner: 'admin',
    sentence:
      'Events of the service cannot be received: this PC may not listen at the address in the settings.',
    next: 'Correct the address or the port in the settings. Sluice asks the service meanwhile, and tries again by itself.',
    endsBy: 'settings',
  },
  'webhook-secret-missing': {
    owner: 'admin',
    sentence: 'Events of the service cannot be verified: this station has no webhook secret.',
    next: 'Register an endpoint with the service. Until then Sluice asks the service, as it does without events.',
    endsBy: 'settings',
  },
  'disk-full': {
    owner: 'technician',
    sentence: 'The disk that holds the journal is full, so nothing new can be noted.',
    next: 'Make room. Sluice carries on by itself as soon as there is some.',
    endsBy: 'person',
  },
  unexpected: {
    owner: 'service',
    sentence: 'Something unexpected went wrong inside Sluice.',
    next: 'Sluice tries again by itself. If it happens again, save a report for support under About & diagnostics.',
    endsBy: 'time',
  },
}

export const problemOf = (
  code: ProblemCode,
  details: {
    readonly detail?: string | undefined
    readonly endsBy?: EndsBy
    readonly nextAtMs?: number
    readonly requestId?: string | null
    readonly param?: string | null
  } = {},
): Problem => {
  const text = texts[code]
  return {
    code,
    owner: text.owner,
    sentence: details.detail === undefined ? text.sentence : `${text.sentence} (${details.detail})`,
    next: text.next,
    endsBy: details.endsBy ?? text.endsBy,
    nextAt: details.nextAtMs === undefined ? null : new Date(details.nextAtMs).toISOString(),
    requestId: details.requestId ?? null,
    param: details.param ?? null,
  }
}
