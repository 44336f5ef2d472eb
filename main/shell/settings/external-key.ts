import type { ManagedSettings } from '../../../shared/settings/managed-settings.ts'
import { apiKeySchema, type ServiceSettings } from '../../../shared/settings/settings.ts'
import { FollowedKeyFile } from '../../managed/followed-key-file.ts'

type Sources = {
  readonly managed: () => ManagedSettings['service'] | undefined
  readonly own: () => ServiceSettings | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The one that was set when the app started: whoever gave it a key in its environment meant that one. */
  readonly address: string | undefined
  readonly clock: { readonly monotonicMs: () => number }
  readonly log: (sentence: string) => void
}

type Found = {
  /** Null where there should be a key and is none: then no other is used either. */
  readonly key: string | null
  readonly origin: string
  readonly source: 'managed' | 'file' | 'environment'
  readonly problem: string | null
}

/**
 * A key that is kept outside the keychain: in the managed settings, in the file that the settings name, or in the
 * environment. Each belongs to the address that it came with; one that a person types in the window gets none of them.
 */
export class OutsideKey {
  readonly #sources: Sources
  readonly #keyFile: FollowedKeyFile
  #last = ''

  constructor(sources: Sources) {
    this.#sources = sources
    this.#keyFile = new FollowedKeyFile(sources)
    this.hasChanged()
  }

  /** Undefined where the keychain is asked. */
  keyFor(address: string | undefined): string | null | undefined {
    const found = this.#find()
    return found !== null && address !== undefined && new URL(address).origin === found.origin
      ? found.key
      : undefined
  }

  read(): { readonly problem: string | null } {
    return { problem: this.#find()?.problem ?? null }
  }

  /** Where it comes from, for a person; null where the keychain has it. */
  get source(): Found['source'] | null {
    return this.#find()?.source ?? null
  }

  /** Since it was asked last. */
  hasChanged(): boolean {
    const now = JSON.stringify(this.#find())
    const changed = now !== this.#last
    this.#last = now
    return changed
  }

  #find(): Found | null {
    const { managed, own, environment, address } = this.#sources
    const set = managed()
    if (set?.base_url !== undefined) {
      const origin = new URL(set.base_url).origin
      if (set.api_key !== undefined) return { key: set.api_key, origin, source: 'managed', problem: null }
      if (set.api_key_file !== undefined)
        return { ...this.#fromFile(set.api_key_file), origin, source: 'managed' }
    }
    const mine = set?.base_url === undefined ? own() : undefined
    if (mine?.api_key_file !== undefined)
      return { ...this.#fromFile(mine.api_key_file), origin: new URL(mine.base_url).origin, source: 'file' }
    const typed = environment.SLUICE_API_KEY
    const key = typed ? apiKeySchema.safeParse(typed).data : undefined
    const meant = set?.base_url ?? address
    return key === undefined || meant === undefined
      ? null
      : { key, origin: new URL(meant).origin, source: 'environment', problem: null }
  }

  #fromFile(file: string): Pick<Found, 'key' | 'problem'> {
    const read = this.#keyFile.read(file)
    return read.ok ? { key: read.key, problem: null } : { key: null, problem: read.sentence }
  }
}
