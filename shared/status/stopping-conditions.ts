import type { Condition } from './condition.ts'

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
    next: 'Put user name and password into the proxy’s address, or let this PC use the proxy without a sign-in. Sluice keeps trying.',
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

/** The conditions that stop uploads. The most serious comes first. */
export const stoppingConditions = {
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
        next: 'Nothing to do. Uploads continue after the restart.',
        endsBy: 'time',
      },
    },
    stops: ['requests', 'parts'],
    partsInFlight: 'finish',
    probe: 'none',
    stationState: 'paused',
    endWords: 'Update ended',
  },
} as const satisfies Readonly<Record<string, Condition & { readonly stops: readonly [string, ...string[]] }>>
