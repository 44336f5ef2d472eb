import { userInfo } from 'node:os'
import { systemClock } from '../clock.ts'
import { createIdMaker, systemRandom } from '../ids.ts'
import type { Store } from '../store/store.ts'
import type { OperatorContext } from './organisations.ts'

/** What a command needs to make a change. The actor in the audit log is the user who runs the command. */
export function operatorContext(store: Store): OperatorContext {
  return {
    store,
    makeId: createIdMaker(systemRandom),
    random: systemRandom,
    now: () => systemClock.now(),
    actor: `operator:${operatorName()}`,
  }
}

/** With sudo, this is the user who called sudo, not root. */
function operatorName(): string {
  const { SUDO_USER } = process.env
  if (SUDO_USER !== undefined && SUDO_USER !== '') return SUDO_USER
  try {
    return userInfo().username
  } catch {
    // In a container, the user ID may have no user name.
    return String(process.getuid?.() ?? 'unknown')
  }
}
