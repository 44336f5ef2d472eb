const NAME = 'sluice-key'

/**
 * The key of this tab. Session storage keeps it across a reload and forgets it with the tab. The browser never sends it by
 * itself, unlike a cookie. So a different site cannot use the key.
 */
export const storedKey = {
  read: (): string | null => sessionStorage.getItem(NAME),
  write: (key: string): void => sessionStorage.setItem(NAME, key),
  remove: (): void => sessionStorage.removeItem(NAME),
}

/** A key has only visible ASCII characters. Others cannot be sent in a header. */
export const isPossibleKey = (text: string): boolean => /^[\x21-\x7e]{1,200}$/.test(text)
