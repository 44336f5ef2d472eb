import type { Secrets } from './secrets.ts'
import type { SettingsStore } from './settings-store.ts'

/** A key typed into the settings file moves to the keychain; where there is none, it is used and stays there. */
export const adoptKey = (
  store: Pick<SettingsStore, 'keyInFile' | 'removeKey'>,
  secrets: Pick<Secrets, 'describe' | 'hold' | 'save'>,
  log: (message: string) => void,
): void => {
  const typed = store.keyInFile
  if (typed === null) return
  const { address, key } = typed
  if (!secrets.describe().protects) {
    secrets.hold(address, key)
    return
  }
  try {
    secrets.save(address, key, false)
    store.removeKey()
    log('the key in the settings file has been moved to the keychain')
  } catch (error) {
    // A locked keychain or a full disk: the station works all the same, and the next start tries again.
    secrets.hold(address, key)
    log(`the key stays in the settings file: ${(error as Error).message}`)
  }
}
