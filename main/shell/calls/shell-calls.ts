import path from 'node:path'
import { app, type BrowserWindow, dialog, shell } from 'electron'
import type { AgentHealth, AppInfo, CallResult } from '../../../shared/ipc/ipc.ts'
import { systemOf } from '../../../shared/ipc/system.ts'
import { createRedact } from '../../../shared/redaction/redact.ts'
import { withoutSecrets } from '../../../shared/settings/settings-without-secrets.ts'
import type { RecordingDetail } from '../../../shared/status/status.ts'
import { readLogEnd, readLogPage } from '../../program-log/read-log.ts'
import type { ExternalKey } from '../../station-store/external-key.ts'
import type { MonitoringSecretStore } from '../../station-store/monitoring-secrets.ts'
import { Refused } from '../../station-store/refused.ts'
import type { Secrets } from '../../station-store/secrets.ts'
import type { SettingsStore } from '../../station-store/settings-store.ts'
import type { WebhookSecrets } from '../../station-store/webhook-secrets.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import type { EmbeddedSandbox } from '../sandbox/embedded-sandbox.ts'
import { confirmKey, confirmRemovals } from '../settings/confirm-removals.ts'
import { readPickedSettings } from '../settings/picked-settings.ts'
import type { PageUnloader } from '../window/page-unloader.ts'
import type { ShellCalls } from './answer-call.ts'
import { monitoringCalls } from './monitoring-calls.ts'
import type { AskPerson } from './native-question.ts'
import { readLicences } from './read-licences.ts'
import { receiptFormat, receiptName } from './receipt-file.ts'
import { requireFile } from './require-file.ts'
import { datedName, REPORTED_LOG_BYTES, saveForPerson, writeReport } from './support-report.ts'
import { webhookCalls } from './webhook-calls.ts'

type Parts = {
  readonly store: SettingsStore
  /** Why this app must not use an address, or null. */
  readonly refusal: (address: string) => string | null
  readonly secrets: Secrets
  readonly webhooks: WebhookSecrets
  readonly monitoring: MonitoringSecretStore
  /** A key from outside the keychain. */
  readonly externalKey: ExternalKey
  readonly supervisor: Pick<Supervisor, 'call' | 'configure' | 'reconnect'> & { readonly health: AgentHealth }
  readonly sandbox: EmbeddedSandbox
  readonly window: () => BrowserWindow
  readonly ask: AskPerson
  readonly page: Pick<PageUnloader, 'keep' | 'take' | 'drawn'>
  readonly info: () => Promise<Omit<AppInfo, 'version' | 'electron' | 'node' | 'platform' | 'system'>>
  /** Created by the build. */
  readonly licencesFile: string
  readonly settingsChanged: () => void
}

const showRecording = async (supervisor: Parts['supervisor'], id: number): Promise<null> => {
  const answer = await supervisor.call('getRecording', { id })
  if (!answer.ok) throw new Refused(answer.error.message)
  const recording = answer.value as RecordingDetail | null
  if (recording === null) throw new Refused('This recording is no longer listed.')
  if (recording.removedAt !== null && recording.movedTo === null)
    throw new Refused('Sluice deleted this file from this PC by its folder’s rules.')
  shell.showItemInFolder(await requireFile(recording.movedTo ?? recording.path))
  return null
}

/** The calls that the main process answers itself. All others go to the agent. */
export const shellCalls = (parts: Parts): ShellCalls => {
  const { store, secrets, supervisor, sandbox, externalKey } = parts
  let savedReport: string | null = null
  const appInfo = async (): Promise<AppInfo> => ({
    version: app.getVersion(),
    electron: process.versions.electron ?? '',
    node: process.versions.node,
    platform: `${process.platform} ${process.getSystemVersion()} (${process.arch})`,
    system: systemOf(process.platform),
    ...(await parts.info()),
  })

  /** Every secret that the main process knows. They are removed from logs and reports by value. */
  const knownSecrets = (): readonly (string | null)[] => {
    const address = store.state.settings.service?.base_url
    return [
      externalKey.keyFor(address) ?? null,
      secrets.known,
      store.keyInFile?.key ?? null,
      sandbox.keyFor(address),
      ...parts.webhooks.known,
      ...Object.values(parts.monitoring.kept),
      ...Object.values(store.monitoring),
    ]
  }

  const collectReport = async (): Promise<string> => {
    const { settings, damage } = store.state
    return writeReport({
      madeAt: new Date(),
      app: await appInfo(),
      agentHealth: supervisor.health,
      keyStorage: secrets.describe(),
      settings,
      settingsDamage: damage,
      agent: await supervisor.call('getSupportFacts', undefined),
      // Main reads the log itself: a report matters most when the agent does not run.
      log: await readLogEnd((await parts.info()).logFolder, REPORTED_LOG_BYTES),
      secrets: knownSecrets(),
    })
  }

  return {
    reconnect: () => {
      supervisor.reconnect('the user pressed Try now')
      return null
    },
    getAgentHealth: () => supervisor.health,
    getAppInfo: appInfo,
    listLogLines: async (query) => {
      const keys = knownSecrets().filter((key) => key !== null)
      return readLogPage((await parts.info()).logFolder, query, createRedact(keys))
    },
    getLicences: () => readLicences(parts.licencesFile),
    getSettings: () => store.state,
    saveSettings: async (input) => {
      await confirmRemovals(store, parts.ask, input)
      const result = store.save(input)
      if (result.ok) parts.settingsChanged()
      return result
    },
    exportSettings: async () => {
      const { canceled, filePath } = await dialog.showSaveDialog(parts.window(), {
        title: 'Export the settings of this station',
        defaultPath: path.join(app.getPath('documents'), datedName('settings', new Date())),
        filters: [{ name: 'Settings', extensions: ['json'] }],
      })
      if (canceled || filePath === '') return null
      // `store.state` never contains the key, even if the settings file does.
      await saveForPerson(filePath, `${JSON.stringify(withoutSecrets(store.state.settings), null, 2)}\n`)
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
    getSecretStorage: () => {
      const storage = secrets.describe()
      const address = store.state.settings.service?.base_url
      const { health } = sandbox
      const outside = externalKey.keyFor(address)
      return {
        ...storage,
        ...(externalKey.source === null || outside === undefined ? {} : { outside: externalKey.source }),
        keyFor: [
          ...(address === undefined || outside == null ? [] : [address]),
          ...storage.keyFor,
          ...(health.state === 'running' ? [health.baseUrl] : []),
          // The sandbox's address may be written with a different host name.
          ...(address !== undefined && sandbox.keyFor(address) !== null ? [address] : []),
        ],
      }
    },
    saveKey: async ({ baseUrl, apiKey, acceptUnprotected }) => {
      const refusal = parts.refusal(baseUrl)
      if (refusal !== null) throw new Refused(refusal)
      await confirmKey(store, parts.ask, { before: secrets.keyFor(baseUrl), next: apiKey })
      secrets.save(baseUrl, apiKey, acceptUnprotected)
      // The next start would prefer the old key in the settings file.
      if (store.keyInFile !== null) store.removeKey()
      await supervisor.configure()
      return null
    },
    forgetKey: async () => {
      const { known } = secrets
      try {
        // Clear the settings file first: the next start would move the key back to the keychain.
        store.removeKey(known === null ? [] : [known])
      } finally {
        try {
          secrets.forget()
        } finally {
          await supervisor.configure()
        }
      }
      return null
    },
    ...webhookCalls(parts),
    ...monitoringCalls(parts),
    pickFolder: async () => {
      const { canceled, filePaths } = await dialog.showOpenDialog(parts.window(), {
        title: 'Choose the folder that the recorder writes to',
        properties: ['openDirectory', 'createDirectory'],
      })
      return canceled ? null : (filePaths[0] ?? null)
    },
    showRecording: ({ id }) => showRecording(supervisor, id),
    openFolder: async ({ which }) => {
      const { dataFolder, logFolder } = await parts.info()
      const folder = which === 'data' ? dataFolder : logFolder
      const problem = await shell.openPath(folder)
      if (problem !== '') throw new Refused(`${folder} could not be opened. ${problem}`)
      return null
    },
    saveSupportReport: async () => {
      const { canceled, filePath } = await dialog.showSaveDialog(parts.window(), {
        title: 'Save a report for support',
        defaultPath: path.join(app.getPath('documents'), datedName('report', new Date())),
        filters: [{ name: 'Report', extensions: ['json'] }],
      })
      if (canceled || filePath === '') return null
      await saveForPerson(filePath, await collectReport())
      savedReport = filePath
      return { path: filePath }
    },
    saveReceipt: async ({ of }) => {
      const { canceled, filePath } = await dialog.showSaveDialog(parts.window(), {
        title: 'Save a receipt',
        defaultPath: path.join(app.getPath('documents'), receiptName(new Date())),
        filters: [
          { name: 'Receipt', extensions: ['json'] },
          { name: 'Spreadsheet', extensions: ['csv'] },
        ],
      })
      if (canceled || filePath === '') return null
      const answer = await supervisor.call('makeReceipt', { of, format: receiptFormat(filePath) })
      if (!answer.ok) throw new Refused(answer.error.message)
      const { text, recordings } = answer.value as CallResult<'makeReceipt'>
      await saveForPerson(filePath, text)
      return { path: filePath, recordings }
    },
    showSupportReport: async () => {
      if (savedReport === null) throw new Refused('No report is saved yet.')
      shell.showItemInFolder(await requireFile(savedReport))
      return null
    },
    keepView: ({ view }) => {
      parts.page.keep(view)
      return null
    },
    takeView: () => parts.page.take(),
    pageDrawn: () => {
      parts.page.drawn()
      return null
    },
    getSandboxHealth: () => sandbox.health,
    startSandbox: async () => {
      try {
        const baseUrl = await sandbox.start()
        await supervisor.configure()
        return { baseUrl }
      } catch (error) {
        throw new Refused(`The sandbox could not be started. ${(error as Error).message}`)
      }
    },
  }
}
