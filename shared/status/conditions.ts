import type { ProblemText } from './problem-terms.ts'

/** One problem code of a condition: its words in the status bar, and its problem text. */
type ConditionCode = ProblemText & {
  /** At most five words, for the headline and the status bar. */
  readonly shortWords: string
  /** It ends only when the delay that the service requested is over. Answers and probes do not end it. */
  readonly isEndedByDelay?: true
  /** Overrides the probe of its condition. */
  readonly probe?: 'none'
}

/**
 * A condition applies to the whole station. Sluice raises it once, instead of one problem per recording. Several conditions
 * can be active at once. Everything that Sluice does about a condition follows from its entry in the table below.
 */
export type Condition = {
  readonly codes: Readonly<Record<string, ConditionCode>>
  /** `requests`: no request to the control API. `parts`: no new part to the storage. Empty: everything continues. */
  readonly stops: readonly ('requests' | 'parts')[]
  readonly partsInFlight: 'finish' | 'stop'
  /**
   * How Sluice notices the end. `request`: the prober sends one request. `part`: the uploader sends one part. `answers`:
   * every answer of the service shows it. `check`: a check on this PC. `none`: the code that raised it clears it.
   */
  readonly probe: 'request' | 'part' | 'answers' | 'check' | 'none'
  /** The state of the station while this condition stops it and needs no action. */
  readonly stationState: 'offline' | 'paused'
  /** The first words of the activity entry for its end: "Service back after 5 min." */
  readonly endWords: string
}

/** Codes that both the control API and the storage can cause. */
const connectionCodes = {
  'network-missing': {
    shortWords: 'Waiting for the network',
    owner: 'technician',
    sentence: 'This PC has no network.',
    next: 'Check the cable or Wi-Fi if this lasts over 10 min.',
    endsBy: 'time',
  },
  'proxy-sign-in': {
    shortWords: 'Proxy requires sign-in',
    owner: 'admin',
    sentence: 'The proxy requires a sign-in.',
    next: 'Put user name and password into the proxy’s address, or let this PC through. Sluice keeps trying.',
    endsBy: 'settings',
  },
  'certificate-refused': {
    shortWords: 'Certificate not trusted',
    owner: 'admin',
    sentence: 'The certificate of the service or proxy is not trusted on this PC.',
    next: 'Add your network’s certificate in the settings (ca_file). Sluice keeps trying.',
    endsBy: 'settings',
  },
} as const satisfies Condition['codes']

/** The most serious condition first. */
export const conditions = {
  disk: {
    codes: {
      'disk-full': {
        shortWords: 'Disk full',
        owner: 'technician',
        sentence: 'The disk with the journal is full, so Sluice cannot save anything.',
        next: 'Free up space. Sluice then continues.',
        endsBy: 'person',
      },
    },
    stops: ['requests', 'parts'],
    partsInFlight: 'finish',
    probe: 'check',
    stationState: 'offline',
    endWords: 'Journal disk has free space again',
  },
  key: {
    codes: {
      'key-missing': {
        shortWords: 'Key missing',
        owner: 'admin',
        sentence: 'No API key is set.',
        next: 'Enter a key with write permission. Recordings are queued until then.',
        endsBy: 'key',
        probe: 'none',
      },
      'key-refused': {
        shortWords: 'Key refused',
        owner: 'admin',
        sentence: 'The service rejects the API key: it is wrong or has been revoked.',
        next: 'Enter a valid key. Recordings are queued until then.',
        endsBy: 'key',
      },
      'key-read-only': {
        shortWords: 'Key cannot upload',
        owner: 'admin',
        sentence: 'The API key cannot upload: it lacks write permission.',
        next: 'Enter a key with write permission. Recordings are queued until then.',
        endsBy: 'key',
      },
    },
    stops: ['requests'],
    partsInFlight: 'finish',
    probe: 'request',
    stationState: 'offline',
    endWords: 'API key accepted again',
  },
  organisation: {
    codes: {
      'key-other-organisation': {
        shortWords: 'Key of a different organisation',
        owner: 'admin',
        sentence:
          'The API key belongs to a different organisation: it does not show this station’s sessions.',
        next: 'Enter the previous organisation’s key, or accept the new organisation: unfinished recordings then upload to it.',
        endsBy: 'person',
      },
    },
    stops: ['requests'],
    partsInFlight: 'finish',
    probe: 'request',
    stationState: 'offline',
    endWords: 'API key shows this station’s sessions again',
  },
  control: {
    codes: {
      'service-unreachable': {
        shortWords: 'Service unreachable',
        owner: 'technician',
        sentence: 'The service cannot be reached.',
        next: 'Check the network if this lasts over 10 min.',
        endsBy: 'time',
      },
      'service-error': {
        shortWords: 'Service error',
        owner: 'service',
        sentence: 'The service returned an error.',
        next: 'Sluice keeps trying.',
        endsBy: 'time',
      },
      'service-answer-unreadable': {
        shortWords: 'Service answer unreadable',
        owner: 'admin',
        sentence: 'Something else answers at the service’s address, or the service has an unknown version.',
        next: 'If this lasts over 10 min, look for a network sign-in page, and check address and proxy.',
        endsBy: 'time',
      },
      'rate-limited': {
        shortWords: 'Service asks to slow down',
        owner: 'service',
        sentence: 'The service asks Sluice to slow down.',
        next: 'Sluice slows down and continues.',
        endsBy: 'time',
        isEndedByDelay: true,
      },
      ...connectionCodes,
    },
    stops: ['requests'],
    partsInFlight: 'finish',
    probe: 'request',
    stationState: 'offline',
    endWords: 'Service back',
  },
  storage: {
    codes: {
      'storage-unreachable': {
        shortWords: 'Storage unreachable',
        owner: 'technician',
        sentence: 'The service’s storage cannot be reached.',
        next: 'Check the network and its firewall if this lasts over 10 min.',
        endsBy: 'time',
      },
      'storage-error': {
        shortWords: 'Storage error',
        owner: 'service',
        sentence: 'The service’s storage returned an error.',
        next: 'Sluice keeps trying.',
        endsBy: 'time',
      },
      'storage-answer-unreadable': {
        shortWords: 'Storage answer unreadable',
        owner: 'admin',
        sentence: 'Something else answers at the storage’s address.',
        next: 'If this lasts over 10 min, look for a network sign-in page, and check the proxy.',
        endsBy: 'time',
      },
      'upload-host-refused': {
        shortWords: 'Storage host not allowed',
        owner: 'admin',
        sentence: 'The service names an upload host that is not allowed.',
        next: 'Ask support whether the host is theirs. If so, allow it in the settings (service.upload_hosts). Sluice keeps trying.',
        endsBy: 'settings',
      },
      'storage-busy': {
        shortWords: 'Storage busy',
        owner: 'service',
        sentence: 'The storage asks Sluice to slow down.',
        next: 'Sluice slows down and continues.',
        endsBy: 'time',
      },
      ...connectionCodes,
    },
    stops: ['parts'],
    partsInFlight: 'finish',
    probe: 'part',
    stationState: 'offline',
    endWords: 'Storage back',
  },
  power: {
    codes: {
      'on-battery': {
        shortWords: 'Paused on battery',
        owner: 'technician',
        sentence: 'On battery: uploads paused until power is back.',
        next: 'Connect this PC to power. Sluice then continues.',
        endsBy: 'time',
      },
    },
    stops: ['parts'],
    partsInFlight: 'finish',
    probe: 'none',
    stationState: 'paused',
    endWords: 'Power back',
  },
  installing: {
    codes: {
      'update-installing': {
        shortWords: 'Installing an update',
        owner: 'technician',
        sentence: 'Sluice installs version {version} and then starts again.',
        next: 'Nothing to do. Uploads continue after that.',
        endsBy: 'time',
      },
    },
    stops: ['requests', 'parts'],
    partsInFlight: 'finish',
    probe: 'none',
    stationState: 'paused',
    endWords: 'Update ended',
  },
  managed: {
    codes: {
      'managed-settings-bad': {
        shortWords: 'Managed settings invalid',
        owner: 'admin',
        sentence: 'The managed settings cannot be used.',
        next: 'Correct the file. Until then the last good settings apply.',
        endsBy: 'settings',
      },
    },
    stops: [],
    partsInFlight: 'finish',
    probe: 'none',
    stationState: 'offline',
    endWords: 'Managed settings fixed',
  },
  clock: {
    codes: {
      'clock-wrong': {
        shortWords: 'Clock wrong',
        owner: 'admin',
        sentence: 'This PC’s clock is wrong.',
        next: 'Set the clock. Meanwhile, uploads continue, and Sluice uses the service’s clock.',
        endsBy: 'person',
      },
    },
    stops: [],
    partsInFlight: 'finish',
    probe: 'answers',
    stationState: 'offline',
    endWords: 'PC clock correct again',
  },
  webhooks: {
    codes: {
      'webhook-port-taken': {
        shortWords: 'Webhook port in use',
        owner: 'admin',
        sentence: 'Events from the service cannot be received: another program uses the port.',
        next: 'Choose a different port in the settings, or close that program. Sluice polls the service meanwhile and keeps trying.',
        endsBy: 'settings',
      },
      'webhook-address-missing': {
        shortWords: 'Webhook address not available',
        owner: 'admin',
        sentence:
          'Events from the service cannot be received: this PC cannot listen at the configured address.',
        next: 'Correct the address or port in the settings. Sluice polls the service meanwhile and keeps trying.',
        endsBy: 'settings',
      },
      'webhook-secret-missing': {
        shortWords: 'Webhook secret missing',
        owner: 'admin',
        sentence: 'Events from the service cannot be verified: this station has no webhook secret.',
        next: 'Register an endpoint with the service. Until then Sluice polls the service.',
        endsBy: 'settings',
      },
    },
    stops: [],
    partsInFlight: 'finish',
    probe: 'check',
    stationState: 'offline',
    endWords: 'Events received again',
  },
  metrics: {
    codes: {
      'metrics-port-taken': {
        shortWords: 'Metrics port in use',
        owner: 'admin',
        sentence: 'Metrics cannot be collected from this PC: another program uses the port.',
        next: 'Choose a different port under Monitoring, or close that program. Uploads continue, and Sluice keeps trying.',
        endsBy: 'settings',
      },
      'metrics-address-missing': {
        shortWords: 'Metrics address not available',
        owner: 'admin',
        sentence: 'Metrics cannot be collected from this PC: it cannot listen at the configured address.',
        next: 'Correct the address or port under Monitoring. Uploads continue, and Sluice keeps trying.',
        endsBy: 'settings',
      },
      'metrics-token-missing': {
        shortWords: 'Metrics token missing',
        owner: 'admin',
        sentence: 'Metrics are not offered to other PCs: there is no token.',
        next: 'Set a token of at least 16 characters under Monitoring, or listen at 127.0.0.1. Uploads continue.',
        endsBy: 'settings',
      },
    },
    stops: [],
    partsInFlight: 'finish',
    probe: 'check',
    stationState: 'offline',
    endWords: 'Metrics available again',
  },
  monitoring: {
    codes: {
      'monitoring-locked': {
        shortWords: 'Monitoring secrets locked',
        owner: 'admin',
        sentence: 'The keychain with the heartbeat, alert and metrics secrets cannot be read.',
        next: 'Unlock the keychain and restart Sluice, or enter the secrets again under Monitoring. Until then monitoring is off. Uploads continue.',
        endsBy: 'settings',
      },
    },
    stops: [],
    partsInFlight: 'finish',
    probe: 'none',
    stationState: 'offline',
    endWords: 'Monitoring secrets readable again',
  },
  restart: {
    codes: {
      'restart-due': {
        shortWords: 'Restart is due',
        owner: 'technician',
        sentence: 'A restart is due: version {version} is installed.',
        next: 'Sluice restarts by itself when nothing is recorded or uploaded. If you started it in a terminal, start it again there.',
        endsBy: 'time',
      },
      'restart-refused': {
        shortWords: 'Installed version cannot start',
        owner: 'admin',
        sentence: 'The installed version cannot take over this station, so the old one runs on: {reason}.',
        next: 'Install the old version again, or a newer one. Do not restart this PC until then. Uploads continue.',
        endsBy: 'person',
      },
    },
    stops: [],
    partsInFlight: 'finish',
    probe: 'none',
    stationState: 'paused',
    endWords: 'Restart no longer due',
  },
  updates: {
    codes: {
      'update-failed': {
        shortWords: 'Update failed',
        owner: 'admin',
        sentence: 'The last update failed: {reason}.',
        next: 'Install the version by hand, or see the log. The old version runs on, and Sluice retries once a day.',
        endsBy: 'person',
      },
      'update-task-missing': {
        shortWords: 'Update task is missing',
        owner: 'admin',
        sentence: 'Sluice cannot install version {version}: Windows has no task “Sluice Update”.',
        next: 'Run “sluice service install” as an administrator, without --account. Or install the version by hand.',
        endsBy: 'person',
      },
      'feed-refused': {
        shortWords: 'Update feed refused',
        owner: 'admin',
        sentence: 'Sluice installs nothing, because the update feed {reason}.',
        next: 'Publish the feed again, or correct its URL or key. Uploads continue, and Sluice keeps checking.',
        endsBy: 'settings',
      },
      'feed-unreachable': {
        shortWords: 'Update feed unreachable',
        owner: 'admin',
        sentence: 'Update feed unreachable: it {reason}.',
        next: 'Check the URL and the web server of the feed if this lasts over a day. Uploads continue.',
        endsBy: 'time',
      },
      'update-waiting': {
        shortWords: 'Update is waiting',
        owner: 'technician',
        sentence: 'An update is waiting: version {version} is ready to be installed.',
        next: 'Sluice installs it by itself when nothing is recorded or uploaded.',
        endsBy: 'time',
      },
      'update-available': {
        shortWords: 'Update is available',
        owner: 'admin',
        sentence: 'An update is available: version {version}.',
        next: 'Install it as the admin guide describes for your system.',
        endsBy: 'time',
      },
    },
    stops: [],
    partsInFlight: 'finish',
    probe: 'none',
    stationState: 'paused',
    endWords: 'Updates in order again',
  },
} as const satisfies Readonly<Record<string, Condition>>

export type ConditionName = keyof typeof conditions
type CodesOf<Name extends ConditionName> = keyof (typeof conditions)[Name]['codes']
export type ConditionProblemCode = { [Name in ConditionName]: CodesOf<Name> }[ConditionName]

export const conditionNames = Object.keys(conditions) as readonly ConditionName[]

/** Without the literal types of the table, so that callers can compare with every allowed value. */
export const conditionOf = (name: ConditionName): Condition => conditions[name]

const codesByName = conditionNames.map((name) => [name, conditionOf(name).codes] as const)

export const conditionProblemCodes = [
  ...new Set(codesByName.flatMap(([, codes]) => Object.keys(codes))),
] as readonly ConditionProblemCode[]

/** The text and words of a code, or undefined if no condition has it. */
export const conditionCodeOf = (code: string): ConditionCode | undefined =>
  codesByName.find(([, codes]) => Object.hasOwn(codes, code))?.[1][code]

/** The most serious condition that can have this code, or null for a problem of a recording or folder. */
export const conditionWithCode = (code: string): ConditionName | null =>
  codesByName.find(([, codes]) => Object.hasOwn(codes, code))?.[0] ?? null

/** Whether a condition with this code stops requests or parts. */
export const stopsUploads = (code: string): boolean => {
  const name = conditionWithCode(code)
  return name !== null && conditionOf(name).stops.length > 0
}

export const probeOf = (name: ConditionName, code: string): Condition['probe'] =>
  conditionOf(name).codes[code]?.probe ?? conditionOf(name).probe

/** The state of a station while a condition with this code stops it and needs no action. */
export const stationStateOf = (code: string): Condition['stationState'] => {
  const name = conditionWithCode(code)
  return name === null ? 'offline' : conditionOf(name).stationState
}
