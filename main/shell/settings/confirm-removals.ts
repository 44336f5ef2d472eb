import { isTestKey } from '../../../shared/contract/api-key.ts'
import { type Paths, pathsOf } from '../../../shared/paths/paths.ts'
import { Refused } from '../../station-store/refused.ts'
import type { SettingsStore } from '../../station-store/settings-store.ts'
import type { AskUser } from '../calls/native-question.ts'
import { MAX_NAMED_RULES, removalQuestion, widerRemovals } from './removal-consent.ts'

/**
 * Asks the user before a save that removes more files than before. It uses a native dialog, because a
 * compromised page could save any rule. Asks again if the settings changed while the dialog was open. Throws
 * `Refused` if the user cancels.
 */
export const confirmRemovals = async (
  store: Pick<SettingsStore, 'state' | 'preview'>,
  ask: AskUser,
  input: unknown,
  paths: Paths = pathsOf(process.platform),
): Promise<void> => {
  const agreed = new Set<string>()
  for (;;) {
    const next = store.preview(input)
    // Invalid input: `save` reports the errors.
    if (next === null) return
    const open = widerRemovals(store.state.settings, next, paths).filter(({ key }) => !agreed.has(key))
    if (open.length === 0) return
    // Each question names as many folders as fit. The next turn of the loop asks about the rest.
    const named = open.slice(0, MAX_NAMED_RULES)
    if (!(await ask(removalQuestion(named, next.service, open.length - named.length))))
      throw new Refused('Nothing was saved, because the removal of files was not confirmed.')
    for (const { key } of named) agreed.add(key)
  }
}

/**
 * Asks before a new key puts removal rules into effect: nothing is removed with a test key, and the key's
 * organisation decides which recordings are processed (§5.2). Throws `Refused` if the user cancels.
 */
export const confirmKey = async (
  store: Pick<SettingsStore, 'state'>,
  ask: AskUser,
  keys: { readonly before: string | null; readonly next: string },
  paths: Paths = pathsOf(process.platform),
): Promise<void> => {
  if (keys.next === keys.before || isTestKey(keys.next)) return
  const { settings } = store.state
  const rules = widerRemovals({ ...settings, folders: [] }, settings, paths)
  for (let first = 0; first < rules.length; first += MAX_NAMED_RULES) {
    const named = rules.slice(first, first + MAX_NAMED_RULES)
    if (!(await ask(removalQuestion(named, settings.service, rules.length - first - named.length))))
      throw new Refused('The key was not saved, because the removal of files was not confirmed.')
  }
}
