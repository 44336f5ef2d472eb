const blank = /[ \t\n\r]*/y
const inString = /[^"\\\p{Cc}]{1,4096}|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/uy
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/**
 * Finds the first place where a text is not valid JSON. The message of `JSON.parse` quotes the surrounding text, which may
 * be the API key in a settings file. The function neither recurses nor matches a whole string at once, because either
 * could overflow the stack.
 */
export const jsonFault = (text: string): { readonly line: number; readonly column: number } => {
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const [found] = pattern.exec(text) ?? [null]
    at += found?.length ?? 0
    return found !== null
  }
  const string = (): boolean => {
    const start = at
    if (take(/"/y)) {
      while (take(inString));
      if (take(/"/y)) return true
    }
    at = start
    return false
  }
  const name = (): boolean => take(blank) && string() && take(blank) && take(/:/y)

  const open: ('object' | 'list')[] = []
  const closes = (): boolean => take(open.at(-1) === 'object' ? /\}/y : /\]/y)
  /** Reads a scalar, an empty list or object (`whole`), or the start of a list or object (`begun`). */
  const value = (): 'whole' | 'begun' | 'none' => {
    take(blank)
    const kind = take(/\{/y) ? 'object' : take(/\[/y) ? 'list' : null
    if (kind === null) return string() || take(scalar) ? 'whole' : 'none'
    open.push(kind)
    take(blank)
    if (!closes()) return kind === 'list' || name() ? 'begun' : 'none'
    open.pop()
    return 'whole'
  }
  /** Reads separators after a value. True if another value follows. */
  const goesOn = (): boolean => {
    for (take(blank); open.length > 0; take(blank)) {
      if (take(/,/y)) return open.at(-1) === 'list' || name()
      if (!closes()) return false
      open.pop()
    }
    return false
  }
  for (let read = value(); read === 'begun' || (read === 'whole' && goesOn()); ) read = value()

  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
