import { type Paths, pathsOf } from '../../../shared/paths/paths.ts'
import { Refused } from '../calls/answer-call.ts'
import type { AskPerson } from '../calls/native-question.ts'
import { MOST_NAMED, removalQuestion, widerRemovals } from './removal-consent.ts'
import type { SettingsStore } from './settings-store.ts'

/**
 * A page that something foreign controls could save any rule: whatever removes more files than before is agreed to by
 * the person, natively. Asks again where the settings changed while the question was open. Throws a Refused.
 */
export const confirmRemovals = async (
  store: Pick<SettingsStore, 'state' | 'after'>,
  ask: AskPerson,
  input: unknown,
  paths: Paths = pathsOf(process.platform),
): Promise<void> => {
  const agreed = new Set<string>()
  for (;;) {
    const next = store.after(input)
    // Saving it says what is wrong with it.
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
