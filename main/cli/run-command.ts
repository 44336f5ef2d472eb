import { unwatchFile, watchFile } from 'node:fs'
import path from 'node:path'
import { systemClock } from '../../shared/clock/clock.ts'
import { WEBHOOK_PATH } from '../../shared/contract/webhooks.ts'
import { DAMAGED_JOURNAL_EXIT, RESTART_EXIT } from '../../shared/ipc/agent-protocol.ts'
import { METRICS_PATH } from '../../shared/ipc/monitoring.ts'
import { secretsFor } from '../../shared/settings/webhook-book.ts'
import { Agent } from '../agent/assembly/agent.ts'
import { createAgentCalls } from '../agent/calls/agent-calls.ts'
import { ownVersion } from '../agent/platform/process/own-version.ts'
import { areRecordersInContainer } from '../agent/platform/process/recorders-in-container.ts'
import { windowsUpdateInstaller } from '../agent/platform/update-task.ts'
import { serveEndpoint } from '../agent/serve-endpoint.ts'
import { Publisher } from '../agent/status/publisher.ts'
import { InstalledVersion } from '../local-files/installed-version.ts'
import { refuseIfMoved } from '../local-files/moved-station.ts'
import { restrictToOwner } from '../local-files/owner-only.ts'
import { collectWhenIdle } from '../memory/collect-when-idle.ts'
import { openProgramLog } from '../program-log/program-log.ts'
import { answerStationCall } from '../station-store/answer-station-call.ts'
import { onEndingSignal } from './ending-signals.ts'
import { HeadlessSettings, type SettingsPaths } from './headless-settings.ts'
import { defineCommand, settingsOptions } from './program/command.ts'
import type { CommandInput } from './program/command-input.ts'
import { remainingWork, removalsDue } from './remaining-work.ts'
import { createChangePrinter, createConditionPrinter, createListeningPrinter } from './run-output.ts'
import { SERVICE_VARIABLE } from './service/service-files.ts'
import { dataFolderFor } from './service/service-manager.ts'
import { printLine, problemLine } from './terminal.ts'
import { runProof } from './update/run-proof.ts'
import { readWebhooksFile, secretsInEnvironment, webhooksFile } from './webhooks-file.ts'

const IDLE_CHECK_INTERVAL_MS = 100
/** How soon the agent uses a secret that the `webhook` command has just stored. */
const SECRETS_POLL_INTERVAL_MS = 2_000

/** How often attached windows get a new status while nothing changes in the journal. */
const PUBLISH_INTERVAL_MS = 1_000

const DEFAULT_IDLE_TIMEOUT_MS = 600_000

type RunOptions = SettingsPaths & {
  readonly endsWhenIdle: boolean
  /** The value of `--patience`: how long `--until-idle` waits without progress. Null if the option is missing. */
  readonly idleTimeoutMs: number | null
  readonly json: boolean
  /** The command that starts this program again. */
  readonly launchCommand: readonly string[]
}

/**
 * True if this agent is the background service. A scheduled task of Windows cannot set an environment variable, so
 * on Windows the data folder decides.
 */
const isService = (dataFolder: string): boolean =>
  process.env[SERVICE_VARIABLE] !== undefined ||
  (process.platform === 'win32' && path.resolve(dataFolder) === dataFolderFor(false))

/** Runs the agent in the foreground. Returns the exit code of the command. */
const runAgent = async (options: RunOptions): Promise<number> => {
  // The agent checks again when it takes its lock, but `HeadlessSettings` may write the settings before that.
  refuseIfMoved(options.data)
  const logFolder = path.join(options.data, 'logs')
  const log = openProgramLog(logFolder, 'agent')
  // Restrict the files before reading the settings: the reader refuses a file with a key if other users can read it.
  for (const sentence of restrictToOwner(options.data)) log.warn(sentence)
  const isOfService = isService(options.data)
  const waitsForSettings = isOfService && !options.endsWhenIdle && options.settings === null
  const settings = new HeadlessSettings({ ...options, waitsForSettings }, log)
  if (settings.current.settings === null)
    printLine(
      'This station is not set up yet. Set it up in the window, or with managed settings.',
      process.stderr,
    )
  for (const warning of settings.warnings) printLine(warning, process.stderr)
  const version = ownVersion()
  // systemd and launchd set this variable, and start the service again after any exit.
  const isRestartedBySystem = process.env[SERVICE_VARIABLE] !== undefined
  const restart = new AbortController()
  const agent = new Agent({
    dataFolder: options.data,
    log,
    version,
    installed: new InstalledVersion(),
    restart: isRestartedBySystem && !options.endsWhenIdle ? () => restart.abort() : null,
    installer: isOfService && process.platform === 'win32' ? windowsUpdateInstaller(process.execPath) : null,
    prove: () => runProof(options.launchCommand, options.data),
    recordersInContainer: areRecordersInContainer(process.env),
    onDamage: () =>
      process.stderr.write('The journal is damaged. Start the agent again: it repairs the journal.\n', () =>
        process.exit(DAMAGED_JOURNAL_EXIT),
      ),
  })
  const { journal } = agent
  const print = createChangePrinter(agent, options.json)
  const printConditions = createConditionPrinter(agent)
  agent.onChange(print)
  // The idle timeout counts from this moment. Work or a change of `lastFigures` restarts the timeout. A retry of a
  // waiting recording does not.
  let progressAtMs = systemClock.monotonicMs()
  let lastFigures = ''
  agent.start()
  const environmentSecrets = secretsInEnvironment(process.env)
  /** Reports an unusable webhooks file and continues, because uploads work without webhook secrets. */
  const readFileSecrets = (): readonly string[] => {
    const address = settings.current.settings?.service.base_url
    if (address === undefined) return []
    try {
      return secretsFor(readWebhooksFile(options.data), new URL(address).origin)
    } catch (error) {
      printLine((error as Error).message, process.stderr)
      return []
    }
  }
  const configure = () => {
    const webhookSecrets = [...environmentSecrets, ...readFileSecrets()]
    return agent.configure({ ...settings.current, webhookSecrets })
  }
  await configure()
  const answer = createAgentCalls(agent, log)
  const station = settings.calls({ callAgent: answer, configure })
  const takeStatus = () => agent.guard('the status', () => agent.status())
  const endpoint = await serveEndpoint({
    dataFolder: agent.dataFolder,
    logFolder: path.resolve(logFolder),
    settingsFile: path.resolve(settings.file),
    host: isOfService ? 'service' : 'terminal',
    version: version ?? 'unknown',
    group: settings.current.settings?.control?.group ?? null,
    log,
    answer,
    answerStation: (name, args) => answerStationCall(station, name, args, log.error),
    settings: () => settings.state,
    status: takeStatus,
    reconnect: (reason) => agent.reconnect(reason),
  })
  const publisher = new Publisher(takeStatus, (status) => endpoint.pushStatus(status))
  /** Building a status takes time, so the agent builds one only if a window is attached. */
  const publish = () => {
    if (endpoint.clients > 0) publisher.changed()
  }
  agent.onChange(publish)
  collectWhenIdle((listener) => agent.onChange(listener))
  // Also publish regularly, because speed and progress change without a journal entry.
  const publishTimer = setInterval(publish, PUBLISH_INTERVAL_MS)
  const reconfigure = (reason: string) =>
    void configure().catch((error: unknown) => agent.reportError(error, reason))
  settings.watch(() => {
    reconfigure('new settings')
    endpoint.pushSettings(settings.state)
  })
  const onSecretsChange = () => reconfigure('new webhook secrets')
  watchFile(
    webhooksFile(options.data),
    { interval: SECRETS_POLL_INTERVAL_MS, persistent: false },
    onSecretsChange,
  )
  const printReceiver = createListeningPrinter('Receiving events', WEBHOOK_PATH)
  const printMetrics = createListeningPrinter('Serving metrics', METRICS_PATH)

  const idleTimeoutMs = options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS
  await new Promise<void>((resolve) => {
    const checkOnce = () => {
      printConditions()
      printReceiver(agent.webhookReceiverStatus.listening)
      printMetrics(agent.monitoring.board.listening)
      if (options.json) for (const recording of journal.work.inState(['uploading'])) print(recording.id)
      if (!options.endsWhenIdle) return
      const remaining = remainingWork(agent)
      const figures = JSON.stringify([journal.views.counts(), journal.views.bytesLeft(), removalsDue(agent)])
      // Processing has no time limit unless `--patience` sets one.
      const hasWork = remaining === 'work' || (remaining === 'processing' && options.idleTimeoutMs === null)
      if (hasWork || figures !== lastFigures) progressAtMs = systemClock.monotonicMs()
      lastFigures = figures
      const waitedMs = systemClock.monotonicMs() - progressAtMs
      if (remaining === 'nothing' || remaining === 'attention' || waitedMs > idleTimeoutMs) end()
    }
    const ticker = setInterval(() => agent.guard('the terminal', checkOnce), IDLE_CHECK_INTERVAL_MS)
    const end = () => {
      clearInterval(ticker)
      unwatchFile(webhooksFile(options.data), onSecretsChange)
      removeSignalListeners()
      resolve()
    }
    const removeSignalListeners = onEndingSignal(end)
    restart.signal.addEventListener('abort', end)
  })

  const status = agent.status()
  const remaining = remainingWork(agent)
  const hasProblem =
    status.station.problem !== null || status.folders.some((folder) => folder.problem !== null)
  const hasUnfinishedWork = remaining !== 'nothing' || status.standings['needs-attention'] > 0
  printConditions()
  settings.stop()
  clearInterval(publishTimer)
  publisher.stop()
  await endpoint.close()
  await agent.stop()
  if (restart.signal.aborted) return RESTART_EXIT
  if (!options.endsWhenIdle) return 0
  for (const folder of status.folders)
    for (const { problem } of folder.problems)
      printLine(`${folder.path}: ${problemLine(problem)}`, process.stderr)
  return hasProblem || hasUnfinishedWork ? 2 : 0
}

const idleTimeoutMsOf = (input: CommandInput<'patience'>): number | null => {
  const text = input.text('patience')
  if (text === null) return null
  const idleTimeoutMs = Number(text) * 1000
  if (text.trim() === '' || !Number.isFinite(idleTimeoutMs) || idleTimeoutMs < 0)
    throw input.refuse(`--patience takes a number of seconds, not "${text}".`)
  return idleTimeoutMs
}

export const runCommand = defineCommand({
  name: 'run',
  group: 'control',
  summary: 'watch the folders and upload until stopped',
  about: [
    'Runs the station without a window and prints each change. Ctrl-C or SIGTERM saves the progress and stops; the next start continues.',
    'A window or a command of this account can attach to this agent, and change its settings, its key and the state of its recordings.',
    'The API key comes from the first of these: service.api_key in the settings, the file in service.api_key_file, SLUICE_API_KEY, the credential sluice.key of systemd, an attached window. Webhook secrets come from webhooks.json in the data folder and from SLUICE_WEBHOOK_SECRET.',
  ],
  data: 'named',
  options: {
    settings: {
      ...settingsOptions.settings,
      summary:
        'settings of the station (default: settings.json in its data folder, and the managed settings)',
    },
    managed: settingsOptions.managed,
    'until-idle': {
      summary: 'stop when no work remains, or when all remaining work needs attention',
    },
    patience: {
      value: { kind: 'text', name: 'SECONDS' },
      summary: `with --until-idle: how long to wait without progress, including the time in which the service processes recordings. Without this option: ${DEFAULT_IDLE_TIMEOUT_MS / 1000} s, and no limit while the service processes recordings`,
    },
  },
  json: 'One object per change: at, path, state, standing, session_id, bytes, bytes_sent, problem.',
  exits: {
    0: 'stopped by signal; with --until-idle: all processed',
    2: 'with --until-idle: something is not processed or needs attention',
    3: 'the journal is damaged; the next start repairs it',
    4: 'as a background service: an update is installed; the next start runs it',
  },
  examples: [
    'sluice run --settings settings.json --data /var/lib/sluice',
    'sluice run --settings settings.json --data /var/lib/sluice --until-idle',
  ],
  run: (input, { launchCommand }) =>
    runAgent({
      launchCommand,
      settings: input.text('settings'),
      managed: input.text('managed'),
      data: input.data,
      endsWhenIdle: input.has('until-idle'),
      idleTimeoutMs: idleTimeoutMsOf(input),
      json: input.json,
    }),
})
