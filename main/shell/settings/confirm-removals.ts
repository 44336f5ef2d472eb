import { isTestKey } from '../../../shared/contract/api-key.ts'
import { pathsOf } from '../../../shared/paths/paths.ts'
import { Refused } from '../../station-store/refused.ts'
import type { SettingsStore } from '../../station-store/settings-store.ts'
import type { AskUser } from '../calls/native-question.ts'
import { MAX_NAMED_RULES, removalQuestion, widerRemovals } from './removal-consent.ts'

/**
 * Asks the user before Sluice saves rules that remove more files than before. The dialog is native, because a
 * compromised page could confirm any rule. Checks the rules again after each answer, because the settings may have
 * changed while the dialog was open. Throws `Refused` if the user cancels.
 */
export const confirmRemovals = async (
  store: Pick<SettingsStore, 'state' | 'preview'>,
  ask: AskUser,
  input: unknown,
): Promise<void> => {
  const confirmedKeys = new Set<string>()
  for (;;) {
    const next = store.preview(input)
    // If the input is invalid, `SettingsStore.save` reports the errors.
    if (next === null) return
    const unconfirmedRules = widerRemovals(store.state.settings, next, pathsOf(process.platform)).filter(
      ({ key }) => !confirmedKeys.has(key),
    )
    if (unconfirmedRules.length === 0) return
    // Each question names as many folders as fit. The next turn of the loop asks about the remaining folders.
    const namedRules = unconfirmedRules.slice(0, MAX_NAMED_RULES)
    if (!(await ask(removalQuestion(namedRules, next.service, unconfirmedRules.length - namedRules.length))))
      throw new Refused('Nothing was saved, because the removal of files was not confirmed.')
    for (const { key } of namedRules) confirmedKeys.add(key)
  }
}

/**
 * Asks before a new key puts removal rules into effect. The key may belong to a different organisation, and the
 * organisation decides which recordings are processed (§5.2). With a test key, Sluice removes nothing and asks nothing.
 * Throws `Refused` if the user cancels.
 */
export const confirmKey = async (
  store: Pick<SettingsStore, 'state'>,
  ask: AskUser,
  keys: { readonly before: string | null; readonly next: string },
): Promise<void> => {
  if (keys.next === keys.before || isTestKey(keys.next)) return
  const { settings } = store.state
  const rules = widerRemovals({ ...settings, folders: [] }, settings, pathsOf(process.platform))
  for (let first = 0; first < rules.length; first += MAX_NAMED_RULES) {
    const namedRules = rules.slice(first, first + MAX_NAMED_RULES)
    if (!(await ask(removalQuestion(namedRules, settings.service, rules.length - first - namedRules.length))))
      throw new Refused('The key was not saved, because the removal of files was not confirmed.')
  }
}
