import { readFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import type { SaveSettingsResult, SettingsState } from '../../shared/ipc.ts'
import { type DraftSettings, describeIssues, draftSettingsSchema } from '../../shared/settings.ts'
import { writeDurably } from './durable-file.ts'

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
        this.#write(this.#lastGood)
        return
      case 'missing':
        this.#fallBack('The settings file was not there.')
        return
      case 'damaged': {
        const aside = `settings.damaged-${stamp(this.#now())}.json`
        renameSync(this.file, path.join(this.#folder, aside))
        this.#fallBack(`The settings file could not be used (${found.reason}). It was kept as ${aside}.`)
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
    this.#settings = withoutKey(parsed.data)
    this.#damage = null
    this.#write(this.file)
    this.#write(this.#lastGood)
    return { ok: true }
  }

  /** Once the key is in the keychain, the clear copy goes. */
  removeKeyFromFile(): void {
    this.#keyInFile = null
    this.#write(this.file)
    this.#write(this.#lastGood)
  }

  #adopt(settings: DraftSettings): void {
    this.#keyInFile = settings.service?.api_key ?? null
    this.#settings = withoutKey(settings)
  }

  #fallBack(what: string): void {
    const before = read(this.#lastGood)
    if (before.kind === 'good') {
      this.#adopt(before.settings)
      this.#damage = `${what} Sluice runs on the last good settings.`
      this.#write(this.file)
      return
    }
    // Nothing at all is simply the first start.
    const firstStart = what.endsWith('not there.') && before.kind === 'missing'
    this.#damage = firstStart ? null : `${what} There is no earlier copy, so Sluice starts without settings.`
  }

  #write(file: string): void {
    const { service } = this.#settings
    const stored =
      service === undefined || this.#keyInFile === null
        ? this.#settings
        : { ...this.#settings, service: { ...service, api_key: this.#keyInFile } }
    writeDurably(file, `${JSON.stringify(stored, null, 2)}\n`)
  }
}

const withoutKey = (settings: DraftSettings): DraftSettings => {
  if (settings.service === undefined) return settings
  const { api_key: _key, ...service } = settings.service
  return { ...settings, service }
}
