/**
 * Returns one line for each circle of files that import each other.
 *
 * @param {ReadonlyMap<string, readonly string[]>} imports the files that each file imports
 * @returns {string[]}
 */
export const findImportCircles = (imports) => {
  const lines = /** @type {string[]} */ ([])
  const checked = new Set()
  /** @param {string} file @param {readonly string[]} trail */
  const visit = (file, trail) => {
    const start = trail.indexOf(file)
    if (start >= 0) {
      lines.push(`these files import each other: ${[...trail.slice(start), file].join(' -> ')}`)
      return
    }
    if (checked.has(file)) return
    for (const imported of imports.get(file) ?? []) visit(imported, [...trail, file])
    checked.add(file)
  }
  for (const file of imports.keys()) visit(file, [])
  return lines
}
