import { createHash } from 'node:crypto'
import type { Settings } from '../../../shared/settings/settings.ts'
import {
  type SettingsFields,
  settingsChange,
  settingsDigests,
} from '../../../shared/settings/settings-change.ts'
import type { Journal } from '../journal/journal.ts'

/**
 * Writes activity entries when Sluice starts or ends, and when its version, settings or key have changed, even between
 * two runs.
 */

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12)

export const noteStart = (
  journal: Journal,
  facts: { readonly version: string | null; readonly damage: { readonly restored: boolean } | null },
): void =>
  journal.transaction(() => {
    const { activity } = journal
    const { version, damage } = facts
    // A backup always has the `running` mark, so after a restore, this mark does not mean a crash.
    if (damage !== null) activity.note({ kind: 'journal-recovered', restored: damage.restored })
    else if (activity.recall('running') !== null) {
      const lastAtMs = activity.lastAtMs()
      const lastActivityAt = lastAtMs === null ? null : new Date(lastAtMs).toISOString()
      activity.note({ kind: 'crashed', lastActivityAt })
    }
    const lastVersion = activity.recall<string>('version')
    if (version !== null && lastVersion !== null && lastVersion !== version)
      activity.note({ kind: 'updated', from: lastVersion, to: version })
    if (version !== null) activity.remember('version', version)
    activity.remember('running', true)
    activity.note({ kind: 'started', version })
  })

export const noteEnd = (journal: Journal): void =>
  journal.transaction(() => {
    journal.activity.remember('running', null)
    journal.activity.note({ kind: 'stopped' })
    journal.station.setSilences([])
    // Otherwise `sluice status` would show these uploads as running until the entry is too old.
    journal.station.saveUploads(null)
  })

export const noteSettings = (journal: Journal, settings: Settings | null): void => {
  if (settings === null) return
  const { activity } = journal
  const digests = settingsDigests(settings, digest)
  const lastDigests = activity.recall<SettingsFields<string>>('settings')
  const change = lastDigests === null ? null : settingsChange(lastDigests, digests)
  if (lastDigests !== null && change === null) return
  journal.transaction(() => {
    if (change !== null) activity.note({ kind: 'settings-changed', change })
    activity.remember('settings', digests)
  })
}

/** Writes an entry if the key was changed or removed. A first key, or a key for a new address, does not count. */
export const noteKey = (journal: Journal, origin: string, fingerprint: string | null): void => {
  const { activity } = journal
  const before = activity.recall<{ origin: string; fingerprint: string | null }>('key')
  if (before?.origin === origin && before.fingerprint === fingerprint) return
  journal.transaction(() => {
    if (before?.origin === origin && before.fingerprint !== null)
      activity.note({ kind: fingerprint === null ? 'key-removed' : 'key-changed' })
    activity.remember('key', { origin, fingerprint })
  })
}
