import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { SaveSettingsResult, SettingsState } from '../../shared/ipc/ipc.ts'
import { type Paths, pathsOf } from '../../shared/paths/paths.ts'
import {
  lockedBy,
  type ManagedSettings,
  withManaged,
  withoutManaged,
} from '../../shared/settings/managed-settings.ts'
import {
  type MonitoringSecretName,
  type MonitoringSecrets,
  monitoringSecretsIn,
  withMonitoringSecrets,
  withoutMonitoringSecrets,
} from '../../shared/settings/monitoring-secrets.ts'
import { faultSentence, MAX_SETTINGS_BYTES, parseSettings } from '../../shared/settings/parse-settings.ts'
import {
  withoutProxyCredentials,
  withStoredProxyCredentials,
} from '../../shared/settings/proxy-credentials.ts'
import { type DraftSettings, draftSettingsSchema } from '../../shared/settings/settings.ts'
import { settingsFaults } from '../../shared/settings/settings-faults.ts'
import { issueSentence } from '../../shared/words/issue-sentence.ts'
import { writeDurably } from '../local-files/durable-file.ts'
import { readPlainFile, TooLargeError } from '../local-files/plain-file.ts'
import { stripKeys, stripSecrets } from './strip-secrets.ts'
import { writeError } from './write-error.ts'

type ReadResult =
  | { readonly kind: 'good'; readonly settings: DraftSettings }
  | { readonly kind: 'missing' }
  | { readonly kind: 'damaged'; readonly reason: string }

const read = (file: string, paths: Paths): ReadResult => {
  let bytes: Uint8Array
  try {
    bytes = readPlainFile(file, MAX_SETTINGS_BYTES).bytes
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { kind: 'missing' }
    if (error instanceof TooLargeError) return { kind: 'damaged', reason: 'it is too large.' }
    return { kind: 'damaged', reason: `${(error as Error).message}.` }
  }
  const { settings, faults } = parseSettings(bytes, paths)
  if (settings !== null) return { kind: 'good', settings }
  const [fault] = faults
  return { kind: 'damaged', reason: fault === undefined ? 'a field is wrong.' : faultSentence(fault, 'it') }
}

/** Damaged copies, and leftovers of interrupted writes. */
const UNUSED_COPY = /^settings\.(?:damaged-.+\.json|(?:last-good\.)?json\.new)$/

/** The managed settings of this PC. */
export type ManagedSource = {
  readonly file: string
  readonly managed: ManagedSettings | null
  readonly problem: string | null
}

/** A key in the settings file, for the address in the same file. */
export type KeyInFile = { readonly address: string; readonly key: string }

const stamp = (now: Date) => now.toISOString().replace(/[:.]/g, '-')

/** The settings file. If it is damaged, the store renames it, uses the last good settings and reports the damage. */
export class SettingsStore {
  readonly file: string
  readonly #lastGood: string | null
  readonly #folder: string
  readonly #now: () => Date
  readonly #paths: Paths
  readonly #refusal: (address: string | undefined) => string | null
  readonly #managed: () => ManagedSource
  #settings: DraftSettings = draftSettingsSchema.parse({})
  #fileProblem: string | null = null
  /** Sluice uses this key, but removes it from the settings that a window gets. */
  #keyInFile: KeyInFile | null = null
  /** The secrets of monitoring. Sluice removes them from the settings that a window gets, too. */
  #monitoringInFile: MonitoringSecrets = {}

  constructor(
    folder: string,
    options: {
      /** Returns the reason why this app must not use the address, or null if it may. */
      readonly refusal: (address: string | undefined) => string | null
      /** The current managed settings. */
      readonly managed?: () => ManagedSource
      readonly now?: () => Date
      readonly paths?: Paths
      /** A settings file other than `settings.json` in the folder. Sluice keeps no last good copy of this file. */
      readonly file?: string
    },
  ) {
    this.#folder = folder
    this.#refusal = options.refusal
    this.#managed = options.managed ?? (() => ({ file: '', managed: null, problem: null }))
    this.#now = options.now ?? (() => new Date())
    this.#paths = options.paths ?? pathsOf(process.platform)
    this.file = options.file ?? path.join(folder, 'settings.json')
    this.#lastGood = options.file === undefined ? path.join(folder, 'settings.last-good.json') : null
  }

  /**
   * The active settings: managed settings override the user's own settings. Only the agent gets the active settings,
   * because they contain the proxy's credentials.
   */
  get active(): DraftSettings {
    return withoutSecrets(withManaged(this.#settings, this.#managed().managed))
  }

  /** The active settings as windows and clients see them. */
  get state(): SettingsState {
    const { file, managed, problem: managedProblem } = this.#managed()
    const settings = withoutProxyCredentials(this.active)
    const refusal = this.#refusal(settings.service?.base_url)
    const problem = this.#fileProblem ?? refusal
    return managed === null && managedProblem === null
      ? { settings, problem }
      : { settings, problem, managed: { file, locked: lockedBy(managed), problem: managedProblem } }
  }

  /**
   * The user's own settings, as in the file but without the API key and the secrets of monitoring. They may contain the
   * proxy's credentials.
   */
  get own(): DraftSettings {
    return this.#settings
  }

  get keyInFile(): KeyInFile | null {
    return this.#keyInFile
  }

  /** The token and URLs of monitoring in settings files. Managed values override the user's own values. */
  get monitoring(): MonitoringSecrets {
    return { ...this.#monitoringInFile, ...monitoringSecretsIn(this.#managed().managed?.monitoring ?? {}) }
  }

  get monitoringInFile(): MonitoringSecrets {
    return this.#monitoringInFile
  }

  load(): void {
    const found = read(this.file, this.#paths)
    switch (found.kind) {
      case 'good':
        this.#adopt(found.settings)
        this.#writeIfPossible(this.#lastGood)
        return
      case 'missing':
        this.#fallBack('The settings file was missing.', { mayWrite: true, mayBeFirstStart: true })
        return
      case 'damaged': {
        const copyName = `settings.damaged-${stamp(this.#now())}.json`
        const isRenamed = this.#renameDamaged(copyName)
        const copyText = isRenamed ? ` It was kept as ${copyName}.` : ''
        this.#fallBack(`The settings file could not be used: ${found.reason}${copyText}`, {
          mayWrite: isRenamed,
        })
        return
      }
    }
  }

  /**
   * Returns the active settings as windows and clients would see them after a save of this input. Null if the input is
   * invalid.
   */
  preview(input: unknown): DraftSettings | null {
    const parsed = draftSettingsSchema.safeParse(input)
    if (!parsed.success) return null
    const next = withManaged(this.#ownOf(parsed.data), this.#managed().managed)
    return withoutProxyCredentials(withoutSecrets(next))
  }

  #ownOf(wanted: DraftSettings): DraftSettings {
    const { managed } = this.#managed()
    const visible = withStoredProxyCredentials(withoutSecrets(wanted), this.#settings)
    return this.#withKeyFile(withoutManaged(visible, this.#settings, managed))
  }

  save(input: unknown): SaveSettingsResult {
    const parsed = draftSettingsSchema.safeParse(input)
    if (!parsed.success)
      return {
        ok: false,
        issues: parsed.error.issues.map((issue) => ({
          path: issue.path.map(String).join('.'),
          message: issueSentence(issue),
        })),
      }
    const settings = this.#ownOf(parsed.data)
    const faults = this.#newFaults(settings)
    if (faults.length > 0) return { ok: false, issues: faults }
    const address = settings.service?.base_url
    // Sluice does not use a refused address. If one is already stored, the user can still change other settings.
    const refusal = address === this.#settings.service?.base_url ? null : this.#refusal(address)
    if (refusal !== null) return { ok: false, issues: [{ path: 'service.base_url', message: refusal }] }
    // Never write the key beside another address, because the next start would send the key to that address.
    const isForOldAddress = this.#keyInFile !== null && address !== this.#keyInFile.address
    const keyInFile = isForOldAddress ? null : this.#keyInFile
    try {
      this.#write(this.file, settings, keyInFile)
    } catch (error) {
      throw writeError(`The settings could not be saved to ${this.file}.`, error)
    }
    this.#settings = settings
    this.#keyInFile = keyInFile
    this.#fileProblem = null
    this.#writeIfPossible(this.#lastGood)
    return { ok: true }
  }

  /**
   * Removes the key from every copy of the settings, including damaged copies. Throws `Refused` if a copy cannot be
   * written.
   */
  removeKey(alsoKnown: readonly string[] = []): void {
    const known = [...alsoKnown, ...(this.#keyInFile === null ? [] : [this.#keyInFile.key])]
    const removeKeys = (bytes: Uint8Array) => stripKeys(bytes, known)
    this.#keyInFile = null
    try {
      for (const file of this.#files) {
        const found = read(file, this.#paths)
        if (found.kind === 'damaged') cleanFile(file, removeKeys)
        // Check the text, because JSON.parse returns only the last of two duplicate fields.
        else if (found.kind === 'good' && cleanedText(file, removeKeys) !== 'clean')
          this.#write(file, withoutKey(found.settings), null)
      }
      this.#cleanUnused(removeKeys)
    } catch (error) {
      throw writeError(`The key could not be removed from the settings in ${this.#folder}.`, error)
    }
  }

  /** Removes these secrets of monitoring from the settings, the last good copy and damaged copies. */
  removeMonitoring(names: readonly MonitoringSecretName[]): void {
    const before = this.#monitoringInFile
    const known = names.flatMap((name) => before[name] ?? [])
    const rest = Object.entries(before).filter(([name]) => !names.some((gone) => gone === name))
    this.#monitoringInFile = Object.fromEntries(rest)
    const removeSecrets = (bytes: Uint8Array) => stripSecrets(bytes, { names, known })
    try {
      for (const file of this.#files)
        if (read(file, this.#paths).kind === 'damaged') cleanFile(file, removeSecrets)
        else if (known.length > 0) this.#write(file, this.#settings, this.#keyInFile)
      this.#cleanUnused(removeSecrets)
    } catch (error) {
      throw writeError(`The token or URL could not be removed from the settings in ${this.#folder}.`, error)
    }
  }

  get #files(): readonly string[] {
    return this.#lastGood === null ? [this.file] : [this.file, this.#lastGood]
  }

  #cleanUnused(removeSecrets: RemoveSecrets): void {
    for (const entry of readdirSync(this.#folder, { withFileTypes: true }))
      if (entry.isFile() && UNUSED_COPY.test(entry.name))
        cleanFile(path.join(this.#folder, entry.name), removeSecrets)
  }

  /**
   * The window has no field for `api_key_file`. A save keeps the stored path if the address stays the same, and removes
   * the path otherwise.
   */
  #withKeyFile(settings: DraftSettings): DraftSettings {
    if (settings.service === undefined) return settings
    const { api_key_file: _typed, ...service } = settings.service
    const { base_url, api_key_file } = this.#settings.service ?? {}
    return api_key_file !== undefined && base_url === service.base_url
      ? { ...settings, service: { ...service, api_key_file } }
      : { ...settings, service }
  }

  /** Ignores faults that the stored settings already have. Settings of an earlier version must stay editable. */
  #newFaults(settings: DraftSettings) {
    const nameOf = (of: DraftSettings, fault: { readonly path: string; readonly message: string }) => {
      const [section, at, ...field] = fault.path.split('.')
      const holder =
        section === 'folders' ? of.folders[Number(at)]?.path : JSON.stringify(of.transfer.windows)
      return JSON.stringify([section, holder, field])
    }
    const known = new Set(
      settingsFaults(this.#settings, this.#paths).map((fault) => nameOf(this.#settings, fault)),
    )
    return settingsFaults(settings, this.#paths).filter((fault) => !known.has(nameOf(settings, fault)))
  }

  #adopt(settings: DraftSettings): void {
    const { service } = settings
    this.#keyInFile =
      service?.api_key === undefined ? null : { address: service.base_url, key: service.api_key }
    this.#monitoringInFile = monitoringSecretsIn(settings.monitoring)
    this.#settings = withoutSecrets(settings)
  }

  /**
   * Uses the last good settings, if there are any. Never overwrites a damaged file that could not be renamed. If the
   * file and its copy are both missing, this is the first start, which is not a problem.
   */
  #fallBack(
    sentence: string,
    { mayWrite, mayBeFirstStart = false }: { mayWrite: boolean; mayBeFirstStart?: boolean },
  ): void {
    const lastGood: ReadResult =
      this.#lastGood === null ? { kind: 'missing' } : read(this.#lastGood, this.#paths)
    if (lastGood.kind === 'good') {
      this.#adopt(lastGood.settings)
      this.#fileProblem = `${sentence} Sluice runs on the last good settings.`
      if (mayWrite) this.#writeIfPossible(this.file)
    } else if (!mayBeFirstStart || lastGood.kind !== 'missing')
      this.#fileProblem = `${sentence} There is no earlier copy, so Sluice starts without settings.`
  }

  #renameDamaged(name: string): boolean {
    try {
      renameSync(this.file, path.join(this.#folder, name))
      return true
    } catch {
      return false
    }
  }

  /** Continues after an error such as a full disk: the next save or start retries. */
  #writeIfPossible(file: string | null): void {
    if (file === null) return
    try {
      this.#write(file, this.#settings, this.#keyInFile)
    } catch {}
  }

  #write(file: string, settings: DraftSettings, keyInFile: KeyInFile | null): void {
    const { service } = settings
    const stored =
      service === undefined || keyInFile === null
        ? settings
        : { ...settings, service: { ...service, api_key: keyInFile.key } }
    const whole = withMonitoringSecrets(stored, this.#monitoringInFile)
    writeDurably(file, `${JSON.stringify(whole, null, 2)}\n`)
  }
}

type RemoveSecrets = (bytes: Uint8Array) => string | null

/** Removes the secrets from a file. Deletes a file that is not text, because no program can use it. */
const cleanFile = (file: string, removeSecrets: RemoveSecrets): void => {
  const found = cleanedText(file, removeSecrets)
  if (found === 'unreadable') rmSync(file)
  else if (found !== 'clean') writeDurably(file, found.text)
}

const cleanedText = (
  file: string,
  removeSecrets: RemoveSecrets,
): 'clean' | 'unreadable' | { readonly text: string } => {
  const bytes = readFileSync(file)
  const text = removeSecrets(bytes)
  if (text === null) return 'unreadable'
  return bytes.equals(Buffer.from(text)) ? 'clean' : { text }
}

const withoutKey = (settings: DraftSettings): DraftSettings => {
  if (settings.service === undefined) return settings
  const { api_key: _key, ...service } = settings.service
  return { ...settings, service }
}

const withoutSecrets = (settings: DraftSettings): DraftSettings =>
  withoutMonitoringSecrets(withoutKey(settings))
