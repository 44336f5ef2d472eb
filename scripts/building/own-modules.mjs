const IMPORT = /^import (.+) from "(node:[\w/]+)";$/gm

/**
 * Node's own modules are asked for instead of imported. An import makes a name for everything that a module offers, and
 * `node:http` offers a second HTTP client that nobody here uses: reading its names loads it, a third of a start.
 *
 * @returns {import('vite').Plugin}
 */
export const askForOwnModules = () => ({
  name: 'ask-for-own-modules',
  renderChunk: (code) => code.replace(IMPORT, (written, names, module) => asked(names, module) ?? written),
})

/**
 * @param {string} names as an import has them: `a`, `* as a`, `{ a, b as c }`, or the first with the last
 * @param {string} module
 * @returns {string | null} null where it is written in another way: then it stays an import
 */
const asked = (names, module) => {
  const got = `process.getBuiltinModule("${module}")`
  const found = /^(?:(?:\* as )?([\w$]+))?(?:, )?(\{.*\})?$/.exec(names)
  // What is asked for has no `default`: that is only an import's name for all of it.
  if (found === null || /\bdefault as\b/.test(names)) return null
  const [, whole, some] = found
  return [
    ...(whole === undefined ? [] : [`const ${whole} = ${got};`]),
    ...(some === undefined ? [] : [`const ${some.replaceAll(' as ', ': ')} = ${got};`]),
  ].join(' ')
}
