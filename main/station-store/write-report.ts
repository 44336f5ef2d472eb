import type { AgentHealth } from '../../shared/ipc/agent-health.ts'
import type { AppInfo, CallAnswer, SecretStorage } from '../../shared/ipc/ipc.ts'
import { createRedact, redactJson } from '../../shared/redaction/redact.ts'
import type { DraftSettings } from '../../shared/settings/settings.ts'
import { escapeText } from '../../shared/words/escape-text.ts'

/** Covers the last hours of a busy station and fits into an e-mail. */
export const REPORTED_LOG_BYTES = 400_000

export type ReportParts = {
  readonly madeAt: Date
  readonly app: AppInfo
  readonly agentHealth: AgentHealth
  readonly keyStorage: SecretStorage
  readonly settings: DraftSettings
  readonly settingsDamage: string | null
  readonly agent: CallAnswer<unknown>
  readonly log: readonly string[] | null
  /** Every secret that this process knows. The report removes them by value. */
  readonly secrets: readonly (string | null)[]
}

/**
 * Returns the text of one file for support. Redacts all of it, because logs and timelines contain texts of other
 * programs.
 */
export const writeReport = (parts: ReportParts): string => {
  const { madeAt, secrets, agent, settings, ...rest } = parts
  const { api_key: _key, ...service } = settings.service ?? {}
  const report = {
    report: 'Sluice, for support',
    madeAt: madeAt.toISOString(),
    ...rest,
    settings: { ...settings, service },
    agent: agent.ok ? agent.value : { unavailable: agent.error.message },
  }
  const clean = createRedact(secrets.filter((secret) => secret !== null))
  return `${redactJson(report, clean, 2).split('\n').map(escapeText).join('\n')}\n`
}
