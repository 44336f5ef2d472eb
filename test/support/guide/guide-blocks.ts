/** A fenced block of a guide: its language, its expected exit code and its lines. */
export type GuideBlock = {
  readonly language: string
  readonly exitCode: number
  readonly text: string
  /** The line number of the block, for error messages. */
  readonly line: number
}

const FENCE = /^(\s*)```(\S*)\s*(.*)$/

export const guideBlocks = (page: string): readonly GuideBlock[] => {
  const blocks: GuideBlock[] = []
  let openBlock: {
    indent: string
    language: string
    attributes: string
    line: number
    lines: string[]
  } | null = null
  for (const [index, text] of page.split('\n').entries()) {
    const [, indent = '', language = '', attributes = ''] = FENCE.exec(text) ?? []
    if (!FENCE.test(text))
      openBlock?.lines.push(text.startsWith(openBlock.indent) ? text.slice(openBlock.indent.length) : text)
    else if (openBlock === null) openBlock = { indent, language, attributes, line: index + 1, lines: [] }
    else {
      const exitCode = Number(/\bexit=(\d+)/.exec(openBlock.attributes)?.[1] ?? 0)
      blocks.push({
        language: openBlock.language,
        exitCode,
        text: openBlock.lines.join('\n'),
        line: openBlock.line,
      })
      openBlock = null
    }
  }
  if (openBlock !== null) throw new Error(`the block that begins in line ${openBlock.line} has no end`)
  return blocks
}

/**
 * Finds the names of the `sluice` commands. The word `sluice` stands at the start of a line, at the end of a path such
 * as `bin/sluice`, or after the quoted host of an `ssh` line.
 */
export const commandNames = (text: string): readonly string[] =>
  [...text.matchAll(/(?:^\s*|bin\/|" )sluice ([a-z][a-z-]*)/gm)].map(([, name = '']) => name)
