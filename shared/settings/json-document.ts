import {
  createScanner,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'

export type TextPosition = { readonly line: number; readonly column: number }

type JsonDocument =
  | {
      readonly ok: true
      readonly value: unknown
      /** The position of a field, or of the object around it if the field is missing. */
      readonly positionOf: (path: readonly PropertyKey[]) => TextPosition
      /** Fields with the same name as an earlier field of the object. The last of them counts. */
      readonly duplicates: readonly {
        readonly path: readonly PropertyKey[]
        readonly position: TextPosition
      }[]
    }
  | { readonly ok: false; readonly position: TextPosition; readonly cause: string }

/** More than the six levels of settings, but too few to overflow the stack of the recursive parser. */
const MAX_DEPTH = 100

/** The texts for the error codes of the parser. They never quote the file, which may contain a key. */
const causes: Readonly<Record<string, string>> = {
  InvalidSymbol: 'Text needs quotation marks',
  InvalidNumberFormat: 'This is not a number',
  UnexpectedEndOfNumber: 'This is not a number',
  PropertyNameExpected: 'A name is missing, or there is one comma too many',
  ValueExpected: 'A value is missing, or there is one comma too many',
  ColonExpected: 'A colon is missing',
  CommaExpected: 'A comma is missing',
  CloseBraceExpected: 'A closing } is missing',
  CloseBracketExpected: 'A closing ] is missing',
  EndOfFileExpected: 'There is text after the end of the settings',
  InvalidCommentToken: 'Comments are not allowed',
  UnexpectedEndOfComment: 'Comments are not allowed',
  UnexpectedEndOfString: 'A quotation mark is missing',
  InvalidUnicode: 'Write each backslash twice',
  InvalidEscapeCharacter: 'Write each backslash twice',
  InvalidCharacter: 'A control character must be escaped',
}

const positionAt = (text: string, offset: number): TextPosition => {
  const textBefore = text.slice(0, offset)
  return { line: textBefore.split('\n').length, column: offset - textBefore.lastIndexOf('\n') }
}

/** The offset of the bracket that exceeds the allowed depth, or null. */
const findTooDeep = (text: string): number | null => {
  const scanner = createScanner(text, true)
  let depth = 0
  while (scanner.getPosition() < text.length) {
    scanner.scan()
    const character = scanner.getTokenLength() === 1 ? text[scanner.getTokenOffset()] : undefined
    if (character === '{' || character === '[') depth += 1
    if (character === '}' || character === ']') depth -= 1
    if (depth > MAX_DEPTH) return scanner.getTokenOffset()
  }
  return null
}

type Duplicate = { readonly path: readonly PropertyKey[]; readonly offset: number }

const duplicatesIn = (node: Node, path: readonly PropertyKey[]): readonly Duplicate[] => {
  const names = new Set<unknown>()
  return (node.children ?? []).flatMap((child, index) => {
    if (node.type === 'array') return duplicatesIn(child, [...path, index])
    const [name, value] = child.children ?? []
    const childPath = [...path, String(name?.value)]
    const duplicates = names.has(name?.value) ? [{ path: childPath, offset: child.offset }] : []
    names.add(name?.value)
    return [...duplicates, ...(value === undefined ? [] : duplicatesIn(value, childPath))]
  })
}

/** The node of a field, including its name, or of an entry of a list. The last of duplicate fields counts. */
const memberOf = (node: Node, key: PropertyKey): Node | undefined => {
  const value = node.type === 'property' ? node.children?.[1] : node
  return value?.type === 'array'
    ? value.children?.[Number(key)]
    : value?.children?.findLast(({ children }) => children?.[0]?.value === key)
}

/** Parses strict JSON and keeps the position of each field, for messages. */
export const parseJson = (text: string): JsonDocument => {
  const deepAt = findTooDeep(text)
  if (deepAt !== null)
    return { ok: false, position: positionAt(text, deepAt), cause: 'Too many brackets are open' }
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })
  const [firstError] = errors
  if (firstError !== undefined || root === undefined) {
    const cause = firstError === undefined ? undefined : causes[printParseErrorCode(firstError.error)]
    return {
      ok: false,
      position: positionAt(text, firstError?.offset ?? 0),
      cause: cause ?? 'Something is missing',
    }
  }
  return {
    ok: true,
    value: getNodeValue(root),
    positionOf: (path) => {
      let node = root
      for (const key of path) {
        const inner = memberOf(node, key)
        if (inner === undefined) break
        node = inner
      }
      return positionAt(text, node.offset)
    },
    duplicates: duplicatesIn(root, []).map(({ path, offset }) => ({
      path,
      position: positionAt(text, offset),
    })),
  }
}
