const isIndex = (key: PropertyKey): boolean => /^\d+$/.test(String(key))

/** "folders[0].site", or "settings" for the whole file. */
export const fieldPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((before, key) => {
    if (isIndex(key)) return `${before}[${String(key)}]`
    return before === '' ? String(key) : `${before}.${String(key)}`
  }, '') || 'settings'

/** Splits a path such as "folders.0.site" into its keys. */
export const keysOf = (dotted: string): readonly PropertyKey[] =>
  dotted.split('.').map((key) => (isIndex(key) ? Number(key) : key))
