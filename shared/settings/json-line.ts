const blank = /[ \t\n\r]*/y
const scalar = /[^ \t\n\r,\]}]+/y

/**
 * The line of a field in a valid JSON text, or of the object around it if the field is missing. The last of duplicate names
 * counts, as for `JSON.parse`. Other values are skipped without recursion, which could overflow the stack.
 */
export const jsonLine = (text: string, path: readonly PropertyKey[]): number => {
  let at = 0
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? ''
    at += found.length
    return found
  }
  const takeString = (): string => {
    const from = at
    for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1
    at += 1
    return text.slice(from, at)
  }
  const skipValue = (): void => {
    let depth = 0
    do {
      take(blank)
      const sign = text[at] ?? ''
      if (sign === '"') takeString()
      else if (sign === '{' || sign === '[') depth += 1
      else if (sign === '}' || sign === ']') depth -= 1
      else if (sign !== ',' && sign !== ':') take(scalar)
      if ('{}[],:'.includes(sign)) at += 1
    } while (depth > 0 && at < text.length)
    take(blank)
  }
  /** The positions where the name or entry and its value begin. */
  const find = (wanted: PropertyKey): { readonly from: number; readonly value: number } | null => {
    const isObject = text[at] === '{'
    if (!isObject && text[at] !== '[') return null
    let found: { readonly from: number; readonly value: number } | null = null
    at += 1
    take(blank)
    for (let index = 0; at < text.length && text[at] !== '}' && text[at] !== ']'; index += 1) {
      const from = at
      const name: unknown = isObject ? JSON.parse(takeString()) : index
      if (isObject) {
        take(blank)
        at += 1
        take(blank)
      }
      if (name === wanted) found = { from, value: at }
      skipValue()
      if (text[at] === ',') at += 1
      take(blank)
    }
    return found
  }

  take(blank)
  let from = at
  for (const name of path) {
    const found = find(name)
    if (found === null) break
    from = found.from
    at = found.value
  }
  return text.slice(0, from).split('\n').length
}
