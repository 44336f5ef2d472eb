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
    next: 'Check the recorder today. If the file is written after all, Sluice picks it up.',
    endsBy: 'file',
  },
  'file-busy': {
    owner: 'technician',
    sentence: 'The file cannot be read right now.',
    next: 'Sluice keeps trying and continues as soon as it can.',
    endsBy: 'time',
  },
  'file-unreadable': {
    owner: 'technician',
    sentence: 'The file cannot be read.',
    next: 'Correct its permissions. Sluice keeps trying.',
    endsBy: 'file',
  },
  'file-vanished': {
    owner: 'technician',
    sentence: 'The file disappeared before all of it was uploaded.',
    next: 'Put it back in the folder and Sluice continues.',
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
    next: 'Rename it and Sluice picks it up.',
    endsBy: 'file',
  },
  'file-damaged': {
    owner: 'technician',
    sentence: 'The end of the file is missing: the recorder stopped halfway.',
    next: 'Sluice uploads it as it is once it has not changed for a while.',
    endsBy: 'time',
  },
  'folder-offline': {
    owner: 'technician',
    sentence: 'The folder cannot be found.',
    next: 'Connect the drive or share. Sluice checks every 15 seconds and then continues.',
    endsBy: 'file',
  },
  'folder-replaced': {
    owner: 'technician',
    sentence: 'A different drive or folder is now at this path.',
    next: 'Confirm that it is the right one, or put the old one back.',
    endsBy: 'person',
  },
  'folder-unreadable': {
    owner: 'admin',
    sentence: 'The folder cannot be read.',
    next: 'Give the account that runs Sluice permission to read it. Sluice tries again every 15 seconds.',
    endsBy: 'file',
  },
  'folder-not-watched': {
    owner: 'admin',
    sentence: 'The system does not report changes in this folder.',
    next: 'Sluice scans the folder instead, so new files show up a little later, and keeps trying to listen.',
    endsBy: 'time',
  },
  'folder-removed': {
    owner: 'admin',
    sentence: 'The folder was removed from the settings.',
    next: 'Nothing to do if that was intended. If the folder is watched again, Sluice continues.',
    endsBy: 'folder',
  },
  'folder-entry-unreadable': {
    owner: 'admin',
    sentence: 'A file or subfolder cannot be read, so it is left out.',
    next: 'Give the account that runs Sluice permission to read it. Sluice tries again at every scan.',
    endsBy: 'file',
  },
  'folder-path-too-long': {
    owner: 'technician',
    sentence: 'A path is longer than the system allows, so the file or subfolder is left out.',
    next: 'Shorten the names of the folders that it lies in, and Sluice picks it up.',
    endsBy: 'file',
  },
  'site-refused': {
    owner: 'admin',
    sentence: 'The service does not accept the site name.',
    next: 'Correct the folder’s site in the settings and Sluice continues.',
    endsBy: 'settings',
  },
  'device-refused': {
    owner: 'admin',
    sentence: 'The service does not accept the device name.',
    next: 'Correct the folder’s device in the settings and Sluice continues.',
    endsBy: 'settings',
  },
  'notes-refused': {
    owner: 'admin',
    sentence: 'The service does not accept the notes.',
    next: 'Correct the folder’s notes in the settings and Sluice continues.',
    endsBy: 'settings',
  },
  'placeholder-unfilled': {
    owner: 'admin',
    sentence: 'The site, device or notes of the folder cannot be filled in for this file.',
    next: 'Correct the folder in the settings, or put the file where it belongs, and Sluice continues.',
    endsBy: 'settings',
  },
  'name-refused': {
    owner: 'technician',
    sentence: 'The service does not accept the file name.',
    next: 'Rename the file and Sluice picks it up.',
    endsBy: 'file',
  },
  'part-size-refused': {
    owner: 'admin',
    sentence: 'The service does not accept the part size.',
    next: 'Correct the folder’s part size in the settings, or leave it empty, and Sluice continues.',
    endsBy: 'settings',
  },
  'size-refused': {
    owner: 'admin',
    sentence: 'The service does not accept a file of this size.',
    next: 'Have the recorder write files of a different size, or ask the people who run the service. Sluice asks again every hour.',
    endsBy: 'file',
  },
  'checksum-refused': {
    owner: 'service',
    sentence: 'The service does not accept the checksum of the file.',
    next: 'Quote the request ID to the people who run the service. Sluice asks again every hour.',
    endsBy: 'answer',
  },
  'parts-impossible': {
    owner: 'service',
    sentence: 'The service wants the file in parts that its own rules do not allow.',
    next: 'Quote the request ID to the people who run the service. Sluice asks again every hour.',
    endsBy: 'answer',
  },
  'upload-refused': {
    owner: 'service',
    sentence: 'The service refuses this upload.',
    next: 'Quote the request ID to the people who run the service. Sluice asks again every hour.',
    endsBy: 'answer',
  },
  'checksum-mismatch': {
    owner: 'service',
    sentence: 'The service keeps computing a different checksum from this PC.',
    next: 'Quote the request ID to the people who run the service. Sluice sends it again every hour.',
    endsBy: 'answer',
  },
  'completion-pending': {
    owner: 'service',
    sentence: 'The service is still busy with an earlier request about this recording.',
    next: 'Sluice asks again soon.',
    endsBy: 'time',
  },
  'processing-failed': {
    owner: 'service',
    sentence: 'The recording is stored, but processing failed.',
    next: 'Tell the service’s support, quoting the request ID. Trying again sends it as a new session.',
    endsBy: 'person',
  },
  'session-deleted': {
    owner: 'technician',
    sentence: 'The session was deleted at the service.',
    next: 'Nothing to do if that was intended. Trying again uploads the recording once more.',
    endsBy: 'person',
  },
  'session-elsewhere': {
    owner: 'admin',
    sentence: 'The session belongs to a different organisation from the API key.',
    next: 'Trying again uploads the recording to the key’s organisation.',
    endsBy: 'person',
  },
  'session-mismatch': {
    owner: 'service',
    sentence: 'The service connects this recording with a session of different content.',
    next: 'Quote the request ID to the people who run the service. Sluice asks again every hour and keeps the file. Trying again sends the recording as a new session.',
    endsBy: 'answer',
  },
  'session-reopened': {
    owner: 'service',
    sentence: 'The service keeps opening the session again after it was complete.',
    next: 'Quote the request ID to the people who run the service. Sluice keeps the file, and every hour sends what is missing.',
    endsBy: 'answer',
  },
  'look-up-failed': {
    owner: 'admin',
    sentence: 'Sluice cannot find out whether the service already has this recording.',
    next: 'Ask the people who run the service why the list of sessions cannot be read to its end. Sluice keeps asking and uploads nothing twice.',
    endsBy: 'answer',
  },
  'key-missing': {
    owner: 'admin',
    sentence: 'No API key is set.',
    next: 'Enter a key with write permission. Recordings are still collected.',
    endsBy: 'key',
  },
  'key-refused': {
    owner: 'admin',
    sentence: 'The service rejects the API key: it is wrong or has been revoked.',
    next: 'Enter a valid key. Recordings are still collected and nothing is lost.',
    endsBy: 'key',
  },
  'key-read-only': {
    owner: 'admin',
    sentence: 'The API key may not upload: it lacks write permission.',
    next: 'Enter a key with write permission. Recordings are still collected and nothing is lost.',
    endsBy: 'key',
  },
  'key-other-organisation': {
    owner: 'admin',
    sentence: 'The API key belongs to another organisation: it does not show the sessions of this station.',
    next: 'Enter the previous organisation’s key, or accept the new one: unfinished recordings are then uploaded there. Nothing is lost.',
    endsBy: 'person',
  },
  'service-unreachable': {
    owner: 'technician',
    sentence: 'The service cannot be reached.',
    next: 'Sluice keeps trying. If it lasts, check the network.',
    endsBy: 'time',
  },
  'service-error': {
    owner: 'service',
    sentence: 'The service returned an error.',
    next: 'Sluice keeps trying.',
    endsBy: 'time',
  },
  'service-answer-unreadable': {
    owner: 'admin',
    sentence:
      'Something other than the service answers at its address, or a version that Sluice does not know.',
    next: 'Sluice keeps trying. If it lasts, look for the network’s sign-in page and check the address and the proxy.',
    endsBy: 'time',
  },
  'rate-limited': {
    owner: 'service',
    sentence: 'The service asks Sluice to slow down.',
    next: 'Sluice slows down and continues.',
    endsBy: 'time',
  },
  'storage-unreachable': {
    owner: 'technician',
    sentence: 'The service’s storage cannot be reached.',
    next: 'Sluice keeps trying. If it lasts, check the network and its firewall.',
    endsBy: 'time',
  },
  'storage-error': {
    owner: 'service',
    sentence: 'The service’s storage returned an error.',
    next: 'Sluice keeps trying.',
    endsBy: 'time',
  },
  'storage-answer-unreadable': {
    owner: 'admin',
    sentence: 'Something other than the storage answers in its place.',
    next: 'Sluice keeps trying. If it lasts, look for the network’s sign-in page and check the proxy.',
    endsBy: 'time',
  },
  'upload-host-refused': {
    owner: 'admin',
    sentence: 'The service names an upload host that recordings may not be sent to.',
    next: 'Ask the people who run the service whether the host is theirs. If so, allow it in the settings (service.upload_hosts). Sluice keeps trying.',
    endsBy: 'settings',
  },
  'storage-busy': {
    owner: 'service',
    sentence: 'The storage asks Sluice to slow down.',
    next: 'Sluice slows down and continues.',
    endsBy: 'time',
  },
  'proxy-sign-in': {
    owner: 'admin',
    sentence: 'The proxy requires a sign-in.',
    next: 'Set a proxy that needs none, or let this PC through. Sluice keeps trying.',
    endsBy: 'settings',
  },
  'certificate-refused': {
    owner: 'admin',
    sentence: 'The certificate of the service or proxy is not trusted on this PC.',
    next: 'Add your network’s certificate in the settings (ca_file). Sluice keeps trying.',
    endsBy: 'settings',
  },
  'managed-settings-bad': {
    owner: 'admin',
    sentence: 'The settings that the administrator rolls out could not be used.',
    next: 'Correct the file and Sluice picks it up. Until then the last good settings apply.',
    endsBy: 'settings',
  },
  'clock-wrong': {
    owner: 'admin',
    sentence: 'This PC’s clock is wrong.',
    next: 'Set the clock. Uploads continue in the meantime, by the service’s clock.',
    endsBy: 'person',
  },
  'webhook-port-taken': {
    owner: 'admin',
    sentence: 'Events from the service cannot be received: another program uses the port.',
    next: 'Choose another port in the settings, or end that program. Sluice keeps asking the service in the meantime, and keeps trying.',
    endsBy: 'settings',
  },
  'webhook-address-missing': {
    owner: 'admin',
    sentence:
      'Events from the service cannot be received: this PC may not listen at the address in the settings.',
    next: 'Correct the address or the port in the settings. Sluice keeps asking the service in the meantime, and keeps trying.',
    endsBy: 'settings',
  },
  'webhook-secret-missing': {
    owner: 'admin',
    sentence: 'Events from the service cannot be verified: this station has no webhook secret.',
    next: 'Register an endpoint with the service. Until then Sluice asks the service, as it does without events.',
    endsBy: 'settings',
  },
  'metrics-port-taken': {
    owner: 'admin',
    sentence: 'Metrics cannot be collected from this PC: another program uses the port.',
    next: 'Choose another port under Monitoring, or end the other program. Uploads continue, and Sluice keeps trying.',
    endsBy: 'settings',
  },
  'metrics-address-missing': {
    owner: 'admin',
    sentence: 'Metrics cannot be collected from this PC: it may not listen at the address in the settings.',
    next: 'Correct the address or the port under Monitoring. Uploads continue, and Sluice keeps trying.',
    endsBy: 'settings',
  },
  'metrics-token-missing': {
    owner: 'admin',
    sentence: 'Metrics are not offered to other PCs: there is no token.',
    next: 'Set a token of at least 16 characters under Monitoring, or listen at 127.0.0.1. Uploads continue.',
    endsBy: 'settings',
  },
  'monitoring-locked': {
    owner: 'admin',
    sentence:
      'Heartbeat, alerts and the token for metrics are in this user’s keychain, which cannot be read at present.',
    next: 'Unlock the keychain and start Sluice again, or enter them anew under Monitoring. Until then nobody outside is told of this station. Uploads continue.',
    endsBy: 'settings',
  },
  'disk-full': {
    owner: 'technician',
    sentence: 'The disk that holds the journal is full, so nothing new can be noted.',
    next: 'Free some space. Sluice continues as soon as there is room.',
    endsBy: 'person',
  },
  unexpected: {
    owner: 'service',
    sentence: 'Something unexpected went wrong inside Sluice.',
    next: 'Sluice keeps trying. If it happens again, save a report for support under About & diagnostics.',
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

/** It is another file now, or in use: what held it before is no longer true. */
export const noHold = { problem: null, attempts: 0, nextAttemptAtMs: 0 } as const
