import { type Paths, pathsOf } from '../../../shared/paths/paths.ts'
import { Refused } from '../calls/answer-call.ts'
import type { AskPerson } from '../calls/native-question.ts'
import { MOST_NAMED, removalQuestion, widerRemovals } from './removal-consent.ts'
import type { SettingsStore } from './settings-store.ts'

/**
 * Asks the user in a native dialog before a save that removes more files than before, because a compromised page could save
 * any rule. Asks again if the settings changed while the dialog was open. Throws `Refused` if the user cancels.
 */
export const confirmRemovals = async (
  store: Pick<SettingsStore, 'state' | 'preview'>,
  ask: AskPerson,
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
    // One question names all that fit; the next turn of the loop asks about the rest.
    const named = open.slice(0, MOST_NAMED)
    if (!(await ask(removalQuestion(named, next.service, open.length - named.length))))
      throw new Refused('Nothing was saved, because the removal of files was not confirmed.')
    for (const { key } of named) agreed.add(key)
  }
}
