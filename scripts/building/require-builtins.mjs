const IMPORT = /^import (.+) from "(node:[\w/]+)";$/gm

/**
 * Replaces imports of Node's built-in modules by `process.getBuiltinModule`. An import reads every export. `node:http`
 * exports a second HTTP client that Sluice does not use. Reading this export loads the client, which takes a third of the
 * start time.
 *
 * @returns {import('vite').Plugin}
 */
export const requireBuiltins = () => ({
  name: 'require-builtins',
  renderChunk: (code) =>
    code.replace(IMPORT, (written, names, module) => requireStatement(names, module) ?? written),
})

/**
 * @param {string} names as in an import: `a`, `* as a`, `{ a, b as c }`, or `a` with `{ b }`
 * @param {string} module
 * @returns {string | null} null for any other form, which stays an import
 */
const requireStatement = (names, module) => {
  const got = `process.getBuiltinModule("${module}")`
  const found = /^(?:(?:\* as )?([\w$]+))?(?:, )?(\{.*\})?$/.exec(names)
  // `getBuiltinModule` returns the module itself, which has no `default`.
  if (found === null || /\bdefault as\b/.test(names)) return null
  const [, whole, some] = found
  return [
    ...(whole === undefined ? [] : [`const ${whole} = ${got};`]),
    ...(some === undefined ? [] : [`const ${some.replaceAll(' as ', ': ')} = ${got};`]),
  ].join(' ')
}
