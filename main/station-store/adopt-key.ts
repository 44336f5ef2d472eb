import type { Secrets } from './secrets.ts'
import type { SettingsStore } from './settings-store.ts'

/**
 * Moves a key from the settings file to the keychain. Without a keychain, the key stays in the file, and Sluice still
 * uses it.
 */
export const adoptKey = (
  store: Pick<SettingsStore, 'keyInFile' | 'removeKey'>,
  secrets: Pick<Secrets, 'describe' | 'bindWithoutStoring' | 'save'>,
  log: (message: string) => void,
): void => {
  const { keyInFile } = store
  if (keyInFile === null) return
  const { address, key } = keyInFile
  if (!secrets.describe().protects) {
    secrets.bindWithoutStoring(address, key)
    return
  }
  try {
    secrets.save(address, key, false)
    store.removeKey()
    log('the key in the settings file has been moved to the keychain')
  } catch (error) {
    // For example, the keychain is locked or the disk is full. The next start tries again.
    secrets.bindWithoutStoring(address, key)
    log(`the key stays in the settings file: ${(error as Error).message}`)
  }
}
