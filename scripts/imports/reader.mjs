import { parseSync } from 'oxc-parser'

/**
 * @typedef {object} Import
 * @property {string | null} from null if the name is computed
 * @property {boolean} isTypeOnly true if each imported name is marked as a type
 * @property {number} line
 */

/**
 * Returns every import of a TypeScript file: static, re-exporting, dynamic, `import('…').Type` and `require('…')`.
 *
 * @param {string} file only its extension matters
 * @param {string} text
 * @returns {Import[]}
 */
export const readImports = (file, text) => {
  const { module, program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0]?.message}`)
  const lineAt = (/** @type {number} */ offset) => text.slice(0, offset).split('\n').length
  /** @type {Import[]} */
  const imports = []
  for (const { moduleRequest, entries, start } of module.staticImports)
    imports.push({ from: moduleRequest.value, isTypeOnly: allTypes(entries), line: lineAt(start) })
  for (const { entries, start } of module.staticExports) {
    const from = entries.find((entry) => entry.moduleRequest)?.moduleRequest?.value
    if (from !== undefined) imports.push({ from, isTypeOnly: allTypes(entries), line: lineAt(start) })
  }
  // The module record lacks `import('…').Type`, `require(…)`, and the name in `import(…)`, so search for them.
  if (/\b(import|require)\s*\(/.test(text)) {
    walk(program, (node) => {
      if (node.type === 'ImportExpression')
        imports.push({ from: literal(node.source), isTypeOnly: false, line: lineAt(node.start) })
      if (node.type === 'TSImportType')
        imports.push({ from: literal(node.source), isTypeOnly: true, line: lineAt(node.start) })
      if (
        node.type === 'CallExpression' &&
        node.callee.type === 'Identifier' &&
        node.callee.name === 'require'
      )
        imports.push({ from: literal(node.arguments[0]), isTypeOnly: false, line: lineAt(node.start) })
    })
  }
  return imports
}

/** False for an import without names, such as `import "./style.css"`. */
const allTypes = (/** @type {readonly { isType: boolean }[]} */ entries) =>
  entries.length > 0 && entries.every(({ isType }) => isType)

/** @param {any} node @returns {string | null} */
const literal = (node) => {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0].value.cooked
  return null
}

/** @param {any} node @param {(node: any) => void} visit */
const walk = (node, visit) => {
  if (node === null || typeof node !== 'object') return
  if (typeof node.type === 'string') visit(node)
  for (const value of Object.values(node)) walk(value, visit)
}
