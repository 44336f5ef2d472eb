const NAME = 'sluice-key'

/**
 * The key of this tab. Session storage keeps it across a reload and forgets it with the tab. Unlike a cookie, the
 * browser never sends the key by itself, so another site cannot use it.
 */
export const storedKey = {
  read: (): string | null => sessionStorage.getItem(NAME),
  write: (key: string): void => sessionStorage.setItem(NAME, key),
  remove: (): void => sessionStorage.removeItem(NAME),
}

/** A key has only visible ASCII characters. Many other characters cannot be sent in a header. */
export const isPossibleKey = (text: string): boolean => /^[\x21-\x7e]{1,200}$/.test(text)
