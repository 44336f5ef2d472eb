const blank = /[ \t\n\r]*/y
const string = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/**
 * Where a text stops being JSON. `JSON.parse` says it by quoting the text around that place, and in a settings file
 * that may be the key.
 */
export const jsonFault = (text: string): { readonly line: number; readonly column: number } => {
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const [found] = pattern.exec(text) ?? [null]
    at += found?.length ?? 0
    return found !== null
  }
  const value = (): boolean => {
    take(blank)
    const isValue = take(/\{/y)
      ? list(member, /\}/y)
      : take(/\[/y)
        ? list(value, /\]/y)
        : take(string) || take(scalar)
    return isValue && take(blank)
  }
  const member = (): boolean => take(blank) && take(string) && take(blank) && take(/:/y) && value()
  const list = (item: () => boolean, end: RegExp): boolean => {
    take(blank)
    if (take(end)) return true
    do if (!item()) return false
    while (take(/,/y))
    return take(end)
  }
  value()
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
