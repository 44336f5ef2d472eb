import { readFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import type { SaveSettingsResult, SettingsState } from '../../../shared/ipc.ts'
import { type DraftSettings, describeIssues, draftSettingsSchema } from '../../../shared/settings.ts'
import { writeDurably } from './durable-file.ts'
import { writeRefused } from './write-refused.ts'

type ReadResult =
  | { readonly kind: 'good'; readonly settings: DraftSettings }
  | { readonly kind: 'missing' }
  | { readonly kind: 'damaged'; readonly reason: string }

const read = (file: string): ReadResult => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { kind: 'missing' }
    return { kind: 'damaged', reason: (error as Error).message }
  }
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return { kind: 'damaged', reason: 'it is not valid JSON' }
  }
  const parsed = draftSettingsSchema.safeParse(value)
  if (parsed.success) return { kind: 'good', settings: parsed.data }
  return { kind: 'damaged', reason: describeIssues(parsed.error)[0] ?? 'a field is wrong' }
}

const stamp = (now: Date) => now.toISOString().replace(/[:.]/g, '-')

/**
 * The settings file. One that a hand or a disk has damaged is put aside, never overwritten, and the app runs
 * on the last settings that were good, and says so.
 */
export class SettingsStore {
  readonly file: string
  readonly #lastGood: string
  readonly #folder: string
  readonly #now: () => Date
  #settings: DraftSettings = draftSettingsSchema.parse({})
  #damage: string | null = null
  /** A key that somebody typed into the file. It is used, but never leaves the main process with the settings. */
  #keyInFile: string | null = null

  constructor(folder: string, now: () => Date = () => new Date()) {
    this.#folder = folder
    this.#now = now
    this.file = path.join(folder, 'settings.json')
    this.#lastGood = path.join(folder, 'settings.last-good.json')
  }

  get state(): SettingsState {
    return { settings: this.#settings, damage: this.#damage }
  }

  get keyInFile(): string | null {
    return this.#keyInFile
  }

  load(): void {
    const found = read(this.file)
    switch (found.kind) {
      case 'good':
        this.#adopt(found.settings)
        this.#writeIfPossible(this.#lastGood)
        return
      case 'missing':
        this.#fallBack('The settings file was not there.', { mayWrite: true, isFirst: true })
        return
      case 'damaged': {
        const aside = `settings.damaged-${stamp(this.#now())}.json`
        const isAside = this.#putAside(aside)
        const kept = isAside ? ` It was kept as ${aside}.` : ''
        this.#fallBack(`The settings file could not be used (${found.reason}).${kept}`, { mayWrite: isAside })
        return
      }
    }
  }

  save(input: unknown): SaveSettingsResult {
    const parsed = draftSettingsSchema.safeParse(input)
    if (!parsed.success)
      return {
        ok: false,
        issues: parsed.error.issues.map(({ path: at, message }) => ({
          path: at.map(String).join('.'),
          message,
        })),
      }
    const settings = withoutKey(parsed.data)
    try {
      this.#write(this.file, settings)
    } catch (error) {
      throw writeRefused(`The settings could not be saved to ${this.file}.`, error)
    }
    this.#settings = settings
    this.#damage = null
    this.#writeIfPossible(this.#lastGood)
    return { ok: true }
  }

  /** Once the key is in the keychain, the clear copy goes. */
  removeKeyFromFile(): void {
    this.#keyInFile = null
    this.#write(this.file, this.#settings)
    this.#write(this.#lastGood, this.#settings)
  }

  #adopt(settings: DraftSettings): void {
    this.#keyInFile = settings.service?.api_key ?? null
    this.#settings = withoutKey(settings)
  }

  /** A damaged file that could not be put aside is not written over. No file and no copy is the first start. */
  #fallBack(what: string, { mayWrite, isFirst = false }: { mayWrite: boolean; isFirst?: boolean }): void {
    const before = read(this.#lastGood)
    if (before.kind === 'good') {
      this.#adopt(before.settings)
      this.#damage = `${what} Sluice runs on the last good settings.`
      if (mayWrite) this.#writeIfPossible(this.file)
    } else if (!isFirst || before.kind !== 'missing')
      this.#damage = `${what} There is no earlier copy, so Sluice starts without settings.`
  }

  #putAside(name: string): boolean {
    try {
      renameSync(this.file, path.join(this.#folder, name))
      return true
    } catch {
      return false
    }
  }

  /** A full disk is no reason not to start: what could not be written now is written at the next save or start. */
  #writeIfPossible(file: string): void {
    try {
      this.#write(file, this.#settings)
    } catch {}
  }

  #write(file: string, settings: DraftSettings): void {
    const { service } = settings
    const stored =
      service === undefined || this.#keyInFile === null
        ? settings
        : { ...settings, service: { ...service, api_key: this.#keyInFile } }
    writeDurably(file, `${JSON.stringify(stored, null, 2)}\n`)
  }
}

const withoutKey = (settings: DraftSettings): DraftSettings => {
  if (settings.service === undefined) return settings
  const { api_key: _key, ...service } = settings.service
  return { ...settings, service }
}
