import path from 'node:path'
import { app, type BrowserWindow, dialog, shell } from 'electron'
import { systemClock } from '../../../shared/clock/clock.ts'
import type { AgentHealth } from '../../../shared/ipc/agent-health.ts'
import type { AppInfo, CallResult, SettingsState } from '../../../shared/ipc/ipc.ts'
import { systemOf } from '../../../shared/ipc/system.ts'
import type { DraftSettings } from '../../../shared/settings/settings.ts'
import { withoutSecrets } from '../../../shared/settings/settings-without-secrets.ts'
import type { RecordingDetail } from '../../../shared/status/status.ts'
import { Refused } from '../../station-store/refused.ts'
import type { StationCalls } from '../../station-store/station-call-types.ts'
import type { StationAgent } from '../../supervisor/station-agent.ts'
import type { EmbeddedSandbox } from '../sandbox/embedded-sandbox.ts'
import { makeSampleFolder } from '../sandbox/sample-folder.ts'
import { confirmKey, confirmRemovals } from '../settings/confirm-removals.ts'
import { readPickedSettings } from '../settings/preview-settings-file.ts'
import type { PageUnloader } from '../window/page-unloader.ts'
import type { ShellCalls } from './answer-call.ts'
import type { AskUser } from './native-question.ts'
import { readLicences } from './read-licences.ts'
import { requireFile, requireFolder } from './require-file.ts'
import { datedFileName, receiptFormat, writeOwnerOnlyFile } from './saved-file.ts'

/**
 * The station's settings and secrets. They come from the agent to which the window is attached, otherwise from this
 * app's own data folder.
 */
export type ShellStation = {
  readonly state: SettingsState
  readonly preview: (input: unknown) => DraftSettings | null
  /** The key that this app has stored for the address. Always null while the window is attached to an agent. */
  readonly keyFor: (address: string) => string | null
  readonly calls: StationCalls
}

type Parts = {
  readonly station: () => ShellStation
  readonly agent: Pick<StationAgent, 'call' | 'configure' | 'reconnect' | 'attachedTo'> & {
    readonly health: AgentHealth
  }
  readonly startAgent: () => Promise<void>
  readonly sandbox: EmbeddedSandbox
  readonly window: () => BrowserWindow
  readonly ask: AskUser
  readonly page: Pick<PageUnloader, 'saveView' | 'takeSavedView' | 'noteDrawn'>
  readonly info: () => Promise<Omit<AppInfo, 'version' | 'electron' | 'node' | 'platform' | 'system'>>
  /** The list of licences that the build creates. */
  readonly licencesFile: string
  readonly openWindow: () => void
}

const showRecording = async (agent: Parts['agent'], id: number): Promise<null> => {
  const answer = await agent.call('getRecording', { id })
  if (!answer.ok) throw new Refused(answer.error.message)
  const recording = answer.value as RecordingDetail | null
  if (recording === null) throw new Refused('This recording is no longer listed.')
  if (recording.removedAt !== null && recording.movedTo === null)
    throw new Refused('Sluice deleted this file from this PC, as the rules of its folder require.')
  shell.showItemInFolder(await requireFile(recording.movedTo ?? recording.path))
  return null
}

/** Calls that the `ShellStation` answers without a dialog. */
const stationAnswers = (station: Parts['station']): Omit<StationCalls, 'saveSettings' | 'saveKey'> => ({
  getSettings: () => station().state,
  getSecretStorage: (args) => station().calls.getSecretStorage(args),
  forgetKey: (args) => station().calls.forgetKey(args),
  getWebhookEndpoints: (args) => station().calls.getWebhookEndpoints(args),
  registerWebhook: (args) => station().calls.registerWebhook(args),
  forgetWebhooks: (args) => station().calls.forgetWebhooks(args),
  saveMonitoringSecret: (args) => station().calls.saveMonitoringSecret(args),
  forgetMonitoringSecret: (args) => station().calls.forgetMonitoringSecret(args),
  listLogLines: (args) => station().calls.listLogLines(args),
  makeSupportReport: (args) => station().calls.makeSupportReport(args),
})

/** The calls that the main process handles. `answerCall` passes all others to the agent. */
export const shellCalls = (parts: Parts): ShellCalls => {
  const { station, agent, sandbox } = parts
  let savedReportFile: string | null = null
  const appInfo = async (): Promise<AppInfo> => ({
    version: app.getVersion(),
    electron: process.versions.electron ?? '',
    node: process.versions.node,
    platform: `${process.platform} ${process.getSystemVersion()} (${process.arch})`,
    system: systemOf(process.platform),
    ...(await parts.info()),
  })

  return {
    reconnect: () => {
      agent.reconnect('the user pressed Try now')
      return null
    },
    getAgentHealth: () => agent.health,
    startAgent: async () => {
      await parts.startAgent()
      return null
    },
    getAppInfo: appInfo,
    getLicences: () => readLicences(parts.licencesFile),
    ...stationAnswers(station),
    saveSettings: async (input) => {
      await confirmRemovals(station(), parts.ask, input)
      return station().calls.saveSettings(input)
    },
    saveKey: async (args) => {
      const currentKey = station().keyFor(args.baseUrl)
      await confirmKey(station(), parts.ask, { before: currentKey, next: args.apiKey })
      return station().calls.saveKey(args)
    },
    exportSettings: async () => {
      const { canceled, filePath } = await dialog.showSaveDialog(parts.window(), {
        title: 'Export the settings of this station',
        defaultPath: path.join(app.getPath('documents'), datedFileName('settings', new Date())),
        filters: [{ name: 'Settings', extensions: ['json'] }],
      })
      if (canceled || filePath === '') return null
      // `state` already contains no secrets. `withoutSecrets` is a second safeguard, because users pass such files on.
      const { settings } = station().state
      await writeOwnerOnlyFile(filePath, `${JSON.stringify(withoutSecrets(settings), null, 2)}\n`)
      return { path: filePath }
    },
    readSettingsFile: async () => {
      const { canceled, filePaths } = await dialog.showOpenDialog(parts.window(), {
        title: 'Import settings',
        properties: ['openFile'],
        filters: [
          { name: 'Settings', extensions: ['json'] },
          { name: 'All files', extensions: ['*'] },
        ],
      })
      const [file] = filePaths
      return canceled || file === undefined ? null : readPickedSettings(file)
    },
    pickFolder: async () => {
      const { canceled, filePaths } = await dialog.showOpenDialog(parts.window(), {
        title: 'Choose the folder that the recorder writes to',
        properties: ['openDirectory', 'createDirectory'],
      })
      return canceled ? null : (filePaths[0] ?? null)
    },
    makeSampleFolder: async () => {
      try {
        return makeSampleFolder(app.getPath('documents'), systemClock.wallMs())
      } catch (error) {
        throw new Refused(`The sample folder could not be created: ${(error as Error).message}`)
      }
    },
    showRecording: ({ id }) => showRecording(agent, id),
    openFolder: async ({ which }) => {
      const { dataFolder, logFolder } = await parts.info()
      const folder = which === 'data' ? dataFolder : logFolder
      const problem = await shell.openPath(await requireFolder(folder))
      if (problem !== '') throw new Refused(`${folder} could not be opened. ${problem}`)
      return null
    },
    saveSupportReport: async () => {
      const { canceled, filePath } = await dialog.showSaveDialog(parts.window(), {
        title: 'Save a report for support',
        defaultPath: path.join(app.getPath('documents'), datedFileName('report', new Date())),
        filters: [{ name: 'Report', extensions: ['json'] }],
      })
      if (canceled || filePath === '') return null
      const facts = { app: await appInfo(), agentHealth: agent.health }
      await writeOwnerOnlyFile(filePath, await station().calls.makeSupportReport(facts))
      savedReportFile = filePath
      return { path: filePath }
    },
    saveReceipt: async ({ of }) => {
      const { canceled, filePath } = await dialog.showSaveDialog(parts.window(), {
        title: 'Save a receipt',
        defaultPath: path.join(app.getPath('documents'), datedFileName('receipt', new Date())),
        filters: [
          { name: 'Receipt', extensions: ['json'] },
          { name: 'Spreadsheet', extensions: ['csv'] },
        ],
      })
      if (canceled || filePath === '') return null
      const answer = await agent.call('makeReceipt', { of, format: receiptFormat(filePath) })
      if (!answer.ok) throw new Refused(answer.error.message)
      const { text, recordings } = answer.value as CallResult<'makeReceipt'>
      await writeOwnerOnlyFile(filePath, text)
      return { path: filePath, recordings }
    },
    showSupportReport: async () => {
      if (savedReportFile === null) throw new Refused('No report has been saved since Sluice started.')
      shell.showItemInFolder(await requireFile(savedReportFile))
      return null
    },
    saveView: ({ view }) => {
      parts.page.saveView(view)
      return null
    },
    takeSavedView: () => parts.page.takeSavedView(),
    pageDrawn: () => {
      parts.page.noteDrawn()
      return null
    },
    openWindow: () => {
      parts.openWindow()
      return null
    },
    getSandboxHealth: () => sandbox.health,
    startSandbox: async () => {
      if (agent.attachedTo !== null)
        throw new Refused(
          'This window is attached to an agent that runs outside this app. To use the sandbox, stop that agent and press “Start the agent” here.',
        )
      try {
        const baseUrl = await sandbox.start()
        await agent.configure()
        return { baseUrl }
      } catch (error) {
        throw new Refused(`The sandbox could not be started. ${(error as Error).message}`)
      }
    },
  }
}
