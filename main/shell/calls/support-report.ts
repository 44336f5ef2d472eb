import { open } from 'node:fs/promises'
import path from 'node:path'
import { escapeText } from '../../../shared/escape-text.ts'
import type { AgentHealth, AppInfo, CallAnswer, SecretStorage } from '../../../shared/ipc.ts'
import { createRedact, redactJson } from '../../../shared/redact.ts'
import type { DraftSettings } from '../../../shared/settings.ts'
import { writeRefused } from '../settings/write-refused.ts'

/** Enough for the last hours of a busy station, and small enough for a mail. */
const LOG_TAIL_BYTES = 200_000
const OWNER_ONLY = 0o600
const LOG_FILES = ['agent.log', 'shell.log'] as const

type Logs = Readonly<Record<string, readonly string[] | null>>

const endOf = async (
  file: string,
  mostBytes: number,
): Promise<{ readonly bytes: number; readonly lines: readonly string[] } | null> => {
  const handle = await open(file, 'r').catch(() => null)
  if (handle === null) return null
  try {
    const { size } = await handle.stat()
    const length = Math.min(size, mostBytes)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length)
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n')
    // The first line is half a line where the file was longer: without its beginning it cannot be judged.
    return { bytes: bytesRead, lines: (size > length ? lines.slice(1) : lines).filter((line) => line !== '') }
  } finally {
    await handle.close()
  }
}

/** Newest last. Right after electron-log has begun a new file, what happened is in the one that it put aside. */
const newestLines = async (file: string): Promise<readonly string[] | null> => {
  const current = await endOf(file, LOG_TAIL_BYTES)
  const { dir, name, ext } = path.parse(file)
  const earlier = await endOf(path.join(dir, `${name}.old${ext}`), LOG_TAIL_BYTES - (current?.bytes ?? 0))
  if (current === null && earlier === null) return null
  return [...(earlier?.lines ?? []), ...(current?.lines ?? [])]
}

/** Read here and not by the agent: a report is wanted most when the agent does not run. */
export const readLogs = async (folder: string): Promise<Logs> =>
  Object.fromEntries(
    await Promise.all(
      LOG_FILES.map(async (name) => [name, await newestLines(path.join(folder, name))] as const),
    ),
  )

export type ReportParts = {
  readonly madeAt: Date
  readonly app: AppInfo
  readonly agentHealth: AgentHealth
  readonly keyStorage: SecretStorage
  readonly settings: DraftSettings
  readonly settingsDamage: string | null
  readonly agent: CallAnswer<unknown>
  readonly logs: Logs
  /** Every key this process knows: removed by value, whatever it looks like. */
  readonly secrets: readonly (string | null)[]
}

/**
 * One file to send to whoever helps. Whatever a part brought along, every text in it is cleaned on the way out:
 * logs and timelines hold words of other programs.
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

/** "sluice-report-2026-03-12-0842.json", in the PC's own time. */
export const reportName = (at: Date): string => {
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `sluice-report-${day}-${two(at.getHours())}${two(at.getMinutes())}.json`
}

export const saveReport = async (file: string, report: string): Promise<void> => {
  try {
    const handle = await open(file, 'w', OWNER_ONLY)
    try {
      // It may have been there before, for others to read; a stick may know no rights at all.
      await handle.chmod(OWNER_ONLY).catch(() => {})
      await handle.writeFile(report)
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw writeRefused(`${file} could not be written.`, error)
  }
}
