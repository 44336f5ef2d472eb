export type DuplicateKey = { readonly path: readonly (string | number)[]; readonly line: number }

const blank = /[ \t\n\r]*/y
const scalar = /[^ \t\n\r,\]}]+/y

type Level = { readonly names: Set<string> | null; index: number; name: string | number }

/**
 * Finds duplicate names in the objects of a valid JSON text. `JSON.parse` silently keeps the last one, so a setting would be
 * ignored. It uses its own stack, because recursion could overflow the call stack.
 */
export const duplicateKeys = (text: string): readonly DuplicateKey[] => {
  const found: DuplicateKey[] = []
  const open: Level[] = []
  let at = 0
  const skip = (pattern: RegExp): void => {
    pattern.lastIndex = at
    at += pattern.exec(text)?.[0].length ?? 0
  }
  const takeString = (): string => {
    const from = at
    for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1
    at += 1
    return text.slice(from, at)
  }
  const takeName = (level: Level, names: Set<string>): void => {
    const from = at
    const name = String(JSON.parse(takeString()))
    level.name = name
    if (names.has(name))
      found.push({
        path: open.map((each) => each.name),
        line: text.slice(0, from).split('\n').length,
      })
    names.add(name)
  }
  for (skip(blank); at < text.length; skip(blank)) {
    const sign = text[at] ?? ''
    const level = open.at(-1)
    if (sign === '{' || sign === '[') {
      open.push({ names: sign === '{' ? new Set() : null, index: 0, name: 0 })
      at += 1
      skip(blank)
      const inner = open.at(-1)
      if (inner?.names != null && text[at] === '"') takeName(inner, inner.names)
    } else if (sign === '}' || sign === ']') {
      open.pop()
      at += 1
    } else if (sign === ',' && level !== undefined) {
      at += 1
      skip(blank)
      if (level.names !== null) takeName(level, level.names)
      else {
        level.index += 1
        level.name = level.index
      }
    } else if (sign === '"') takeString()
    else if (sign === ':') at += 1
    else {
      const before = at
      skip(scalar)
      if (at === before) at += 1
    }
  }
  return found
}
