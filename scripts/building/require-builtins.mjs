const IMPORT = /^import (.+) from "(node:[\w/]+)";$/gm

/** @type {Readonly<Record<string, string>>} */
const FILE_SYSTEM = {
  'node:fs': '(process.getBuiltinModule("original-fs") ?? process.getBuiltinModule("node:fs"))',
  'node:fs/promises':
    '(process.getBuiltinModule("original-fs")?.promises ?? process.getBuiltinModule("node:fs/promises"))',
}

/**
 * Replaces imports of Node's built-in modules with `process.getBuiltinModule`. An import reads every export of a
 * module, and reading some exports of `node:http` loads a second HTTP client. Sluice does not use this client, but
 * loading it would take a third of the start time.
 *
 * In Electron, `node:fs` treats every file whose name ends in `.asar` as a folder, even a recording. So the programs
 * get `original-fs`, which exists only in Electron and reads such a file as a file. Code that reads a file inside the
 * package's own archive calls `process.getBuiltinModule('node:fs')` itself.
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
  const builtin = FILE_SYSTEM[module] ?? `process.getBuiltinModule("${module}")`
  const match = /^(?:(?:\* as )?([\w$]+))?(?:, )?(\{.*\})?$/.exec(names)
  // `getBuiltinModule` returns the module itself, which has no `default`.
  if (match === null || /\bdefault as\b/.test(names)) return null
  const [, moduleName, exportNames] = match
  return [
    ...(moduleName === undefined ? [] : [`const ${moduleName} = ${builtin};`]),
    ...(exportNames === undefined ? [] : [`const ${exportNames.replaceAll(' as ', ': ')} = ${builtin};`]),
  ].join(' ')
}
