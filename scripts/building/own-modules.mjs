const IMPORT = /^import (.+) from "(node:[\w/]+)";$/gm

/**
 * Node's own modules are asked for instead of imported. An import makes a name for everything that a module offers, and
 * `node:http` offers a second HTTP client that nobody here uses: reading its names loads it, a third of a start.
 *
 * @returns {import('vite').Plugin}
 */
export const askForOwnModules = () => ({
  name: 'ask-for-own-modules',
  renderChunk: (code) => code.replace(IMPORT, (_, names, module) => asked(names, module)),
})

/**
 * @param {string} names as an import has them: `a`, `* as a`, `{ a, b as c }`, or the first with the last
 * @param {string} module
 */
const asked = (names, module) => {
  const got = `process.getBuiltinModule("${module}")`
  const [, whole, , some] = /^(?:(?:\* as )?([\w$]+))?(, )?(\{.*\})?$/.exec(names) ?? []
  return [
    ...(whole === undefined ? [] : [`const ${whole} = ${got};`]),
    ...(some === undefined ? [] : [`const ${some.replaceAll(' as ', ': ')} = ${got};`]),
  ].join(' ')
}
