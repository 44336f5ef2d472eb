import type { AgentCallName, CallAnswer, SaveSettingsResult } from '../../shared/ipc/ipc.ts'
import { createRedact } from '../../shared/redaction/redact.ts'
import { readLogEnd, readLogPage } from '../program-log/read-log.ts'
import type { ExternalKey } from './external-key.ts'
import { monitoringCalls } from './monitoring-calls.ts'
import type { MonitoringSecretStore } from './monitoring-secrets.ts'
import { Refused } from './refused.ts'
import type { Secrets } from './secrets.ts'
import type { SettingsStore } from './settings-store.ts'
import type { StationCalls } from './station-call-types.ts'
import { agentSecrets } from './stored-agent-key.ts'
import { webhookCalls } from './webhook-calls.ts'
import type { WebhookSecrets } from './webhook-secrets.ts'
import { REPORTED_LOG_BYTES, writeReport } from './write-report.ts'

export type StationParts = {
  readonly store: SettingsStore
  /** Returns the reason why this program must not use the address, or null if it may. */
  readonly refusal: (address: string) => string | null
  readonly secrets: Secrets
  readonly webhooks: WebhookSecrets
  readonly monitoring: MonitoringSecretStore
  /** A key from outside the keychain. */
  readonly externalKey: ExternalKey
  /** The key and the addresses of the embedded sandbox. */
  readonly sandbox?: {
    readonly keyFor: (address: string | undefined) => string | null
    readonly addresses: () => readonly string[]
  }
  readonly dataFolder: string
  readonly logFolder: string
  readonly callAgent: (name: AgentCallName, args: unknown) => Promise<CallAnswer<unknown>>
  readonly settingsChanged: () => void
  /** Gives the agent the changed secrets. */
  readonly configure: () => Promise<void>
}

/**
 * The calls about settings, secrets and the log. They run in the main process of a window, or in an agent without a
 * window.
 */
export const stationCalls = (parts: StationParts): StationCalls => {
  const { store, secrets, webhooks, monitoring, externalKey, sandbox } = parts
  const address = () => store.state.settings.service?.base_url

  /** A headless agent may have stored a key in this data folder. The window uses that key too. */
  const keyOfAgent = () => agentSecrets(parts.dataFolder, address())

  /** Every secret that this process knows. Sluice removes these values from logs and reports. */
  const knownSecrets = (): readonly string[] =>
    [
      externalKey.keyFor(address()) ?? null,
      secrets.key,
      keyOfAgent().key,
      store.keyInFile?.key ?? null,
      sandbox?.keyFor(address()) ?? null,
      ...webhooks.allSecrets,
      ...Object.values(monitoring.secrets),
      ...Object.values(store.monitoring),
    ].filter((secret) => secret !== null)

  /**
   * Returns the changed field that could redirect an external key to another server, or null. The next start sends a
   * key from the environment or from `api_key_file` to the address in the settings. So a client must not change the
   * address or its certificate authority.
   */
  const fieldThatRedirectsKey = (input: unknown): 'service.base_url' | 'service.ca_file' | null => {
    const [currentAddress, next] = [address(), store.preview(input)]
    if (externalKey.source !== 'environment' && externalKey.source !== 'file') return null
    // During the try-out, the user has not chosen a service yet.
    if (currentAddress === undefined || next === null || (sandbox?.keyFor(currentAddress) ?? null) !== null)
      return null
    const nextAddress = next.service?.base_url
    if (nextAddress === undefined || new URL(nextAddress).origin !== new URL(currentAddress).origin)
      return 'service.base_url'
    // A proxy with a different certificate authority could impersonate the service.
    return next.service?.ca_file === store.state.settings.service?.ca_file ? null : 'service.ca_file'
  }

  return {
    getSettings: () => store.state,
    saveSettings: (input) => {
      const field = fieldThatRedirectsKey(input)
      if (field !== null) return keyRedirectedResult(field)
      const result = store.save(input)
      if (result.ok) parts.settingsChanged()
      return result
    },
    getSecretStorage: () => {
      const storage = secrets.describe()
      const own = address()
      const keyFromOutside = externalKey.keyFor(own)
      return {
        ...storage,
        ...(externalKey.source === null || keyFromOutside === undefined
          ? {}
          : { externalKeySource: externalKey.source }),
        addressesWithKey: [
          ...(own === undefined || keyFromOutside == null ? [] : [own]),
          ...storage.addressesWithKey,
          ...(sandbox?.addresses() ?? []),
          // The settings may have the sandbox's address with a different host name.
          ...(own !== undefined && sandbox !== undefined && sandbox.keyFor(own) !== null ? [own] : []),
        ],
      }
    },
    saveKey: async ({ baseUrl, apiKey, acceptUnprotected }) => {
      const refusal = parts.refusal(baseUrl)
      if (refusal !== null) throw new Refused(refusal)
      secrets.save(baseUrl, apiKey, acceptUnprotected)
      // Remove the old key from the settings file, because the next start would prefer the old key to the new one.
      if (store.keyInFile !== null) store.removeKey()
      await parts.configure()
      return null
    },
    forgetKey: async () => {
      const stores = [secrets, keyOfAgent()]
      try {
        // Do this first, because `forgetAll` removes the keys that this search needs.
        store.removeKey(stores.flatMap(({ key }) => key ?? []))
      } finally {
        try {
          forgetAll(stores)
        } finally {
          await parts.configure()
        }
      }
      return null
    },
    ...webhookCalls({ store, webhooks, agent: { call: parts.callAgent, configure: parts.configure } }),
    ...monitoringCalls(parts),
    listLogLines: (query) => readLogPage(parts.logFolder, query, createRedact(knownSecrets())),
    makeSupportReport: async ({ app, agentHealth }) => {
      const { settings, problem } = store.state
      return writeReport({
        madeAt: new Date(),
        app,
        agentHealth,
        keyStorage: secrets.describe(),
        settings,
        settingsDamage: problem,
        agent: await parts.callAgent('getSupportFacts', undefined),
        log: await readLogEnd(parts.logFolder, REPORTED_LOG_BYTES),
        secrets: knownSecrets(),
      })
    },
  }
}

const keyRedirectedResult = (field: 'service.base_url' | 'service.ca_file'): SaveSettingsResult => ({
  ok: false,
  issues: [
    {
      path: field,
      message: `The key is set outside Sluice, so only an administrator can change ${
        field === 'service.base_url' ? 'the address' : 'the certificate authority'
      }, in the settings file.`,
    },
  ],
})

/** If one key cannot be removed, still remove the others. */
const forgetAll = ([first, ...rest]: readonly Secrets[]): void => {
  try {
    first?.forget()
  } finally {
    if (rest.length > 0) forgetAll(rest)
  }
}
