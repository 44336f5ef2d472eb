import { redact } from '../../shared/redaction/redact.ts'
import type { Problem } from '../../shared/status/problem.ts'
import { type Standing, standings } from '../../shared/status/standing.ts'
import { escapeText, showLine } from '../../shared/words/escape-text.ts'
import { problemText, standingWords, wordOf } from '../../shared/words/words.ts'

/**
 * Lines may contain foreign text, such as file names and messages of the service. So `printLine`, `printJson` and
 * `printWrapped` escape control characters.
 */

/** Width of the column with a recording's standing. */
export const WORD_WIDTH = Math.max(...standings.map((each) => standingWords[each].word.length))

type RowJson = {
  readonly standing: Standing
  readonly settles_at: string | null
  readonly problem: Problem | null
}

/** The window's word for a recording. Without `nowMs`, the word does not include the remaining time. */
export const rowWord = ({ standing, settles_at, problem }: RowJson, nowMs?: number): string =>
  wordOf({ standing, paused: false, settlesAt: settles_at, problem }, nowMs)

export const printLine = (line: string, to: NodeJS.WritableStream = process.stdout): void => {
  to.write(`${showLine(line)}\n`)
}

/** Escapes control characters, which would garble a terminal. Parsing the JSON still returns the exact value. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).split('\n').map(escapeText).join('\n')

export const printJson = (value: unknown): void => {
  process.stdout.write(`${jsonText(value)}\n`)
}

/** Redacts the sentence and the next step separately, because a redaction can run to the end of its text. */
export const problemLine = (problem: Problem): string =>
  problemText({ ...problem, sentence: redact(problem.sentence), next: redact(problem.next) })

const DEFAULT_WIDTH = 80

/** Wraps at `width` and indents each line. A word that is longer than a line stays whole, because it may be a path. */
export const wrapText = (text: string, margin: number, width = DEFAULT_WIDTH): string[] => {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && margin + line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((each) => ' '.repeat(margin) + each)
}

/** Wraps at the terminal's width. Output to a file or pipe is not wrapped. */
export const printWrapped = (text: string, margin = 0): void => {
  const { isTTY, columns } = process.stdout
  const width = isTTY ? columns || DEFAULT_WIDTH : Number.POSITIVE_INFINITY
  for (const line of wrapText(showLine(text), margin, width)) process.stdout.write(`${line}\n`)
}

/** Prints progress: in a terminal, on one line that it overwrites; in a file or pipe, as one line per 10 %. */
export const progressPrinter = (
  to: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>,
  textOf: (share: number) => string,
): { readonly update: (share: number) => void; readonly end: () => void } => {
  let lastStep = -1
  const steps = to.isTTY ? 1000 : 10
  return {
    update: (share) => {
      const step = Math.floor(Math.min(1, share) * steps)
      if (step <= lastStep) return
      lastStep = step
      to.write(to.isTTY ? `\r\u001b[K${textOf(share)}` : `${textOf(share)}\n`)
    },
    end: () => {
      if (to.isTTY && lastStep >= 0) to.write('\r\u001b[K')
    },
  }
}
