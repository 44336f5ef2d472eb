const NAME = 'sluice-key'

/**
 * The key of this tab. Session storage keeps it across a reload, until the tab closes. The browser never sends it by
 * itself, as it would send a cookie, so another site cannot use it.
 */
export const storedKey = {
  read: (): string | null => sessionStorage.getItem(NAME),
  write: (key: string): void => sessionStorage.setItem(NAME, key),
  remove: (): void => sessionStorage.removeItem(NAME),
}

/** Allows only visible ASCII characters, because a header cannot contain many others. */
export const isPossibleKey = (text: string): boolean => /^[\x21-\x7e]{1,200}$/.test(text)
