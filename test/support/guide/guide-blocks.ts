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
  let open: { indent: string; language: string; attributes: string; line: number; lines: string[] } | null =
    null
  for (const [index, text] of page.split('\n').entries()) {
    const [, indent = '', language = '', attributes = ''] = FENCE.exec(text) ?? []
    if (!FENCE.test(text))
      open?.lines.push(text.startsWith(open.indent) ? text.slice(open.indent.length) : text)
    else if (open === null) open = { indent, language, attributes, line: index + 1, lines: [] }
    else {
      const exitCode = Number(/\bexit=(\d+)/.exec(open.attributes)?.[1] ?? 0)
      blocks.push({ language: open.language, exitCode, text: open.lines.join('\n'), line: open.line })
      open = null
    }
  }
  if (open !== null) throw new Error(`the block that begins in line ${openBlock.line} has no end`)
  return blocks
}

/** Finds commands at the start of a line, after a path to the program, or in an ssh line. */
export const commandNames = (text: string): readonly string[] =>
  [...text.matchAll(/(?:^\s*|bin\/|" )sluice ([a-z][a-z-]*)/gm)].map(([, name = '']) => name)
