const IMPORT = /^import (.+) from "(node:[\w/]+)";$/gm

/**
 * Replaces imports of Node's built-in modules with `process.getBuiltinModule`. An import reads every export of a module, and
 * `node:http` also exports a second HTTP client. Sluice does not use this client, but loading it takes a third of the start
 * time.
 *
 * @returns {import('vite').Plugin}
 */
export const requireBuiltins = () => ({
  name: 'require-builtins',
  renderChunk: (code) =>
    code.replace(IMPORT, (statement, names, module) => requireStatement(names, module) ?? statement),
})

/**
 * @param {string} names as in an import: `a`, `* as a`, `{ a, b as c }`, or `a` with `{ b }`
 * @param {string} module
 * @returns {string | null} null for any other form, which stays an import
 */
const requireStatement = (names, module) => {
  const builtin = `process.getBuiltinModule("${module}")`
  const match = /^(?:(?:\* as )?([\w$]+))?(?:, )?(\{.*\})?$/.exec(names)
  // `getBuiltinModule` returns the module itself, which has no `default`.
  if (match === null || /\bdefault as\b/.test(names)) return null
  const [, moduleName, exportNames] = match
  return [
    ...(moduleName === undefined ? [] : [`const ${moduleName} = ${builtin};`]),
    ...(exportNames === undefined ? [] : [`const ${exportNames.replaceAll(' as ', ': ')} = ${builtin};`]),
  ].join(' ')
}
