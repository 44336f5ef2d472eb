/**
 * The definitions of the background service for `sluice service install`: a unit for systemd, a daemon for launchd, a
 * task for Windows. Each starts the agent at boot, restarts it after a failure, and needs no extra program. With
 * `--user`, the unit starts at boot only if lingering is enabled for the user.
 */

export type ServicePlan = {
  /** The words that start this program, without a command such as `run`. */
  readonly program: readonly string[]
  readonly dataFolder: string
  /** Null with `--user`: a systemd service then runs under the account of the user who installs it. */
  readonly account: string | null
  /** A group that the account joins. Members may attach to the agent if `control.group` names the group. */
  readonly group: string | null
  /** A file with the API key. Only root needs to read this file. */
  readonly keyFile: string | null
  /** True if Electron runs as Node, which happens only if Sluice runs from source. */
  readonly runsAsNode: boolean
}

/** The name of the systemd credential with the API key. */
export const KEY_CREDENTIAL = 'sluice.key'

/** systemd and launchd set this variable to tell the agent that it is the background service. */
export const SERVICE_VARIABLE = 'SLUICE_SERVICE'

const serviceCommand = ({ program, dataFolder }: ServicePlan): readonly string[] => [
  ...program,
  'run',
  '--data',
  dataFolder,
]

/** Escapes the specifiers, variables and quotes that systemd interprets in a command line. */
const quoteForSystemd = (word: string): string => {
  const escaped = word
    .replaceAll('%', '%%')
    .replaceAll('$', '$$$$')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
  return /^[\w./:=@-]+$/.test(word) ? word : `"${escaped}"`
}

/** The agent needs only the network, its data folder, and the folders that its account may use. */
const hardening = [
  'NoNewPrivileges=yes',
  'CapabilityBoundingSet=',
  // `strict` would make the recording folders read-only, but a folder's rule may move or delete recordings.
  'ProtectSystem=full',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'ProtectClock=yes',
  'ProtectControlGroups=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'LockPersonality=yes',
  'RemoveIPC=yes',
  'KeyringMode=private',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallErrorNumber=EPERM',
] as const

export const systemdUnit = (plan: ServicePlan): string => {
  const { account, group, keyFile } = plan
  const isSystemService = account !== null
  const service = [
    `ExecStart=${serviceCommand(plan).map(quoteForSystemd).join(' ')}`,
    `Environment=${SERVICE_VARIABLE}=1`,
    ...(plan.runsAsNode ? ['Environment=ELECTRON_RUN_AS_NODE=1'] : []),
    // Restart after every exit: the next start repairs a damaged journal (exit code 3) or runs an update (exit code 4).
    'Restart=always',
    'RestartSec=5',
    'Nice=5',
    'UMask=0077',
    ...(isSystemService
      ? [
          `User=${account}`,
          ...(group === null ? [] : [`SupplementaryGroups=${group}`]),
          'StateDirectory=sluice',
          'StateDirectoryMode=0700',
          'RuntimeDirectory=sluice',
          'RuntimeDirectoryMode=0755',
          ...(keyFile === null ? [] : [`LoadCredential=${KEY_CREDENTIAL}:${keyFile}`]),
          ...hardening,
        ]
      : ['NoNewPrivileges=yes']),
  ]
  return [
    '[Unit]',
    'Description=Sluice, uploads recordings',
    ...(isSystemService ? ['Wants=network-online.target', 'After=network-online.target'] : []),
    '',
    '[Service]',
    ...service,
    '',
    '[Install]',
    `WantedBy=${isSystemService ? 'multi-user.target' : 'default.target'}`,
    '',
  ].join('\n')
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

export const LAUNCHD_LABEL = 'com.sluice.agent'
export const LAUNCHD_FILE = `/Library/LaunchDaemons/${LAUNCHD_LABEL}.plist`

export const launchDaemon = (plan: ServicePlan): string => {
  const words = serviceCommand(plan).map((word) => `    <string>${escapeXml(word)}</string>`)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key><string>${LAUNCHD_LABEL}</string>`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...words,
    '  </array>',
    ...(plan.account === null ? [] : [`  <key>UserName</key><string>${escapeXml(plan.account)}</string>`]),
    `  <key>EnvironmentVariables</key><dict><key>${SERVICE_VARIABLE}</key><string>1</string></dict>`,
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><true/>',
    '  <key>ThrottleInterval</key><integer>5</integer>',
    // launchd reads the mask as a decimal number: 63 is octal 0077.
    '  <key>Umask</key><integer>63</integer>',
    '  <key>ProcessType</key><string>Background</string>',
    '</dict>',
    '</plist>',
    '',
  ].join('\n')
}

/**
 * The SIDs of two accounts without a password that every Windows PC has. The names of these accounts depend on the
 * language of Windows. The SIDs do not.
 */
const windowsAccounts: Readonly<Record<string, string>> = {
  'LOCAL SERVICE': 'S-1-5-19',
  'NETWORK SERVICE': 'S-1-5-20',
}

/** No user can sign in with these accounts. */
export const windowsServiceSids: readonly string[] = Object.values(windowsAccounts)

/**
 * The SID of an account in `windowsAccounts`. Returns null for any other account. If `account` is null, returns the SID
 * of LOCAL SERVICE.
 */
export const windowsAccountSid = (account: string | null): string | null =>
  windowsAccounts[(account ?? 'LOCAL SERVICE').toUpperCase()] ?? null

/** The name for a SID in `windowsAccounts`. Any other name or SID stays as it is. */
export const windowsAccountName = (account: string): string =>
  Object.entries(windowsAccounts).find(([, sid]) => sid === account)?.[0] ?? account

/** Quotes a word for the command-line parser of Windows, and doubles the backslashes before a quote. */
const quoteForWindows = (word: string): string =>
  /^[^\s"]+$/.test(word) ? word : `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`

export const scheduledTask = (plan: ServicePlan): string => {
  const [program = '', ...args] = serviceCommand(plan)
  const account = plan.account ?? 'LOCAL SERVICE'
  const sid = windowsAccountSid(account)
  return [
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    '  <RegistrationInfo><Description>Sluice, uploads recordings</Description></RegistrationInfo>',
    '  <Triggers><BootTrigger><Enabled>true</Enabled></BootTrigger></Triggers>',
    '  <Principals>',
    '    <Principal id="Agent">',
    `      <UserId>${escapeXml(sid ?? account)}</UserId>`,
    // S4U stores no password of the account, but the task then has no access to network shares.
    ...(sid === null ? ['      <LogonType>S4U</LogonType>'] : []),
    '      <RunLevel>LeastPrivilege</RunLevel>',
    '    </Principal>',
    '  </Principals>',
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
    '    <RestartOnFailure><Interval>PT1M</Interval><Count>999</Count></RestartOnFailure>',
    '  </Settings>',
    '  <Actions Context="Agent">',
    '    <Exec>',
    `      <Command>${escapeXml(program)}</Command>`,
    `      <Arguments>${escapeXml(args.map(quoteForWindows).join(' '))}</Arguments>`,
    '    </Exec>',
    '  </Actions>',
    '</Task>',
    '',
  ].join('\r\n')
}

/**
 * The task that installs updates, with the rights of the system. The account of the background service may start this
 * task, but not change it. Returns null for an account outside `windowsAccounts`, because its SID is unknown here.
 */
export const updateTask = ({ program, dataFolder, account }: ServicePlan): string | null => {
  const sid = windowsAccountSid(account)
  if (sid === null) return null
  const [file = '', ...args] = [...program, 'update', 'install', '--data', dataFolder]
  return [
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    '  <RegistrationInfo>',
    '    <Description>Installs updates that Sluice has downloaded</Description>',
    `    <SecurityDescriptor>D:(A;;FA;;;BA)(A;;FA;;;SY)(A;;FRFX;;;${sid})</SecurityDescriptor>`,
    '  </RegistrationInfo>',
    '  <Principals><Principal id="Updater"><UserId>S-1-5-18</UserId><RunLevel>HighestAvailable</RunLevel></Principal></Principals>',
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    '    <ExecutionTimeLimit>PT30M</ExecutionTimeLimit>',
    '  </Settings>',
    '  <Actions Context="Updater">',
    '    <Exec>',
    `      <Command>${escapeXml(file)}</Command>`,
    `      <Arguments>${escapeXml(args.map(quoteForWindows).join(' '))}</Arguments>`,
    '    </Exec>',
    '  </Actions>',
    '</Task>',
    '',
  ].join('\r\n')
}
