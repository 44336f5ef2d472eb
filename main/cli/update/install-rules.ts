import { withManaged } from '../../../shared/settings/managed-settings.ts'
import type { DraftSettings } from '../../../shared/settings/settings.ts'
import type { ReleaseRules } from '../../agent/domain/update-rules.ts'
import { releaseKeys } from '../../agent/update/release-keys.ts'
import type { ManagedRead } from '../../managed/managed-file.ts'

/**
 * Returns the keys that may sign the update feed, and the rules for the version that the station may install. Throws if
 * updates are not automatic, or if the managed settings are unknown: they may set other keys or another channel.
 */
export const installRules = (
  read: ManagedRead,
  own: DraftSettings,
): { readonly keys: readonly string[]; readonly rules: ReleaseRules } => {
  if (read.kind === 'held')
    throw new Error('Another program has the managed settings open, so nothing was installed.')
  if (read.kind === 'bad')
    throw new Error(`The managed settings cannot be used, so nothing was installed. ${read.reason}`)
  const managed = read.kind === 'good' ? read.managed : null
  const { updates } = withManaged(own, managed)
  if (updates.mode !== 'automatic')
    throw new Error(`updates.mode is ${updates.mode}, so nothing was installed.`)
  const key = managed?.updates?.feed_key
  return { keys: key === undefined ? releaseKeys : [key], rules: updates }
}
