import type { Condition } from './condition.ts'

/** The conditions that do not stop uploads. The most serious comes first. */
export const warningConditions = {
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
        sentence:
          'The installed version cannot take over this station, so the old one keeps running: {reason}.',
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
        next: 'Install the version by hand, or see the log. The old version keeps running, and Sluice retries once a day.',
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
        sentence: 'Update feed unreachable: the feed {reason}.',
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
} as const satisfies Readonly<Record<string, Condition & { readonly stops: readonly [] }>>
