import type { ManagedSettings } from '../../shared/settings/managed-settings.ts'
import { apiKeySchema, type ServiceSettings } from '../../shared/settings/settings.ts'
import { PolledKeyFile } from '../managed/polled-key-file.ts'

type Sources = {
  readonly managed: () => ManagedSettings['service'] | undefined
  readonly own: () => ServiceSettings | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  /**
   * The service address at the start of the process. A key in the environment belongs to this address, unless the
   * managed settings name an address.
   */
  readonly address: string | undefined
  readonly clock: { readonly monotonicMs: () => number }
  readonly log: (sentence: string) => void
}

type Found = {
  /** Null if the source is configured but has no usable key. Sluice then uses no other key. */
  readonly key: string | null
  readonly origin: string
  readonly source: 'managed' | 'file' | 'environment'
  readonly problem: string | null
}

/**
 * A key from outside the keychain: from the managed settings, from `api_key_file`, or from the environment. Each key
 * belongs to the address that it was configured with. Sluice never sends the key to an address that the user types in
 * the window.
 */
export class ExternalKey {
  readonly #sources: Sources
  readonly #keyFile: PolledKeyFile
  #lastKeyJson = ''

  constructor(sources: Sources) {
    this.#sources = sources
    this.#keyFile = new PolledKeyFile(sources)
    this.hasChanged()
  }

  /** Undefined if no external key is configured for this address. Null if it is configured, but not usable. */
  keyFor(address: string | undefined): string | null | undefined {
    const found = this.#find()
    return found !== null && address !== undefined && new URL(address).origin === found.origin
      ? found.key
      : undefined
  }

  read(): { readonly problem: string | null } {
    return { problem: this.#find()?.problem ?? null }
  }

  /** Where the key comes from. Null if no external key is configured. */
  get source(): Found['source'] | null {
    return this.#find()?.source ?? null
  }

  /** Whether the key, its origin, its source or its problem has changed since the last call. */
  hasChanged(): boolean {
    const keyJson = JSON.stringify(this.#find())
    const hasChanged = keyJson !== this.#lastKeyJson
    this.#lastKeyJson = keyJson
    return hasChanged
  }

  #find(): Found | null {
    const { managed, own, environment, address } = this.#sources
    const managedService = managed()
    if (managedService?.base_url !== undefined) {
      const origin = new URL(managedService.base_url).origin
      if (managedService.api_key !== undefined)
        return { key: managedService.api_key, origin, source: 'managed', problem: null }
      if (managedService.api_key_file !== undefined)
        return { ...this.#fromFile(managedService.api_key_file), origin, source: 'managed' }
    }
    const ownService = managedService?.base_url === undefined ? own() : undefined
    if (ownService?.api_key_file !== undefined)
      return {
        ...this.#fromFile(ownService.api_key_file),
        origin: new URL(ownService.base_url).origin,
        source: 'file',
      }
    const environmentKey = environment.SLUICE_API_KEY
    const key = environmentKey ? apiKeySchema.safeParse(environmentKey).data : undefined
    const keyAddress = managedService?.base_url ?? address
    return key === undefined || keyAddress === undefined
      ? null
      : { key, origin: new URL(keyAddress).origin, source: 'environment', problem: null }
  }

  #fromFile(file: string): Pick<Found, 'key' | 'problem'> {
    const read = this.#keyFile.read(file)
    return read.ok ? { key: read.key, problem: null } : { key: null, problem: read.sentence }
  }
}
