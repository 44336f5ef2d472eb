/**
 * Escapes every character that is not ASCII. Even one long dash would make V8 store every character of the bundle
 * in two bytes instead of one, and parse the bundle more slowly.
 *
 * @returns {import('vite').Plugin}
 */
export const escapeBundles = () => ({
  name: 'escape-to-ascii',
  // After any earlier hook, the bundler writes the code again, and the escapes would be lost.
  generateBundle: (_, files) => {
    for (const file of Object.values(files)) if (file.type === 'chunk') file.code = escapeToAscii(file.code)
  },
})

/** @param {string} code */
export const escapeToAscii = (code) => {
  // A backslash before the character would escape the backslash of `\u`.
  const unsafe = /\\[^\0-\x7f]/.exec(code)
  if (unsafe !== null)
    throw new Error(
      `a backslash before a character that is not ASCII: ${code.slice(unsafe.index - 40).slice(0, 80)}`,
    )
  return code.replace(/[^\0-\x7f]/g, escapeCodeUnit)
}

/** @param {string} unit one UTF-16 code unit */
const escapeCodeUnit = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
