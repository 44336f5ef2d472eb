import type { Configuration } from '../../../shared/ipc/agent-protocol.ts'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { WatchedFolders } from '../flow/watch/watched-folders.ts'
import type { Journal } from '../journal/journal.ts'
import type { PendingWrites } from '../stage/pending-writes.ts'
import { applyFolders } from '../stage/removed-folders.ts'
import { applyConfiguredConditions } from '../station/configured-conditions.ts'
import type { Station } from '../station/station.ts'
import { noteSettings } from '../station/station-life.ts'
import type { ServiceLink } from './service-link.ts'

type ConfiguredParts = {
  readonly journal: Journal
  readonly station: Station
  readonly link: ServiceLink
  readonly folders: WatchedFolders
  readonly paths: Paths
  readonly writes: PendingWrites
}

/** The settings, key and proxy in use. Changes are applied one after the other. */
export class CurrentConfiguration {
  #applied: Configuration = { settings: null, apiKey: null, systemProxy: { kind: 'unknown' } }
  /** The newest configuration, even if it is not applied yet. `keyFor` and `webhookSecrets` use it at once. */
  #latest: Configuration = this.#applied
  #applying: Promise<void> = Promise.resolve()

  get applied(): Configuration {
    return this.#applied
  }

  get settings(): Settings | null {
    return this.#applied.settings
  }

  get webhookSecrets(): readonly string[] {
    return this.#latest.webhookSecrets ?? []
  }

  /** The key, if the address belongs to the station's service. Null for every other service. */
  keyFor(address: string): string | null {
    const { settings, apiKey } = this.#latest
    const ownOrigin = settings === null ? null : new URL(settings.service.base_url).origin
    return new URL(address).origin === ownOrigin ? apiKey : null
  }

  /** Safe to call while the previous change is still being applied. */
  change(next: Configuration, parts: ConfiguredParts): Promise<void> {
    this.#latest = next
    const applied = this.#applying.then(async () => {
      // Assign the takes before `#applied` is set: from then on, the remover uses the new settings and relies on these
      // takes.
      await assignTakes(parts, next.settings)
      const previous = this.#applied
      this.#applied = next
      return applyConfiguration(parts, previous, next)
    })
    this.#applying = applied.catch(() => {})
    return applied
  }
}

const assignTakes = async (
  { journal, writes }: ConfiguredParts,
  settings: Settings | null,
): Promise<void> => {
  const assign = () => {
    for (const folder of settings?.folders ?? []) journal.takes.assign(folder)
  }
  if (!writes.write('the takes', assign)) await writes.commit('the takes', assign)
}

const applyConfiguration = async (
  parts: ConfiguredParts,
  previous: Configuration,
  next: Configuration,
): Promise<void> => {
  const { journal, station, link, folders, paths, writes } = parts
  const { settings } = next
  writes.write('new settings', () => {
    noteSettings(journal, settings)
    if (settings !== null) journal.folders.forgetExcept(settings.folders.map(({ path }) => path))
  })
  const sameService =
    JSON.stringify([previous.settings?.service, previous.apiKey, previous.systemProxy]) ===
    JSON.stringify([settings?.service, next.apiKey, next.systemProxy])
  if (!sameService || link.client === null) await link.replace(next)
  applyConfiguredConditions(station, previous, next)
  if (settings !== null)
    await writes.commit('the folders', () => applyFolders(journal, settings.folders, paths))
  await folders.watch(settings?.folders ?? [])
  // Recordings and removals that the old settings or key held back may continue now.
  await writes.commit('the held recordings', () => {
    journal.recordings.retryHeld(['settings', 'key'])
    journal.removals.retryHeld()
  })
}
