import { redact, redactJson } from '../../shared/redaction/redact.ts'
import { type Problem, standings } from '../../shared/status/status.ts'
import { escapeText, showLine } from '../../shared/words/escape-text.ts'
import { sayProblem, standingWords } from '../../shared/words/words.ts'

/** What the terminal shows of texts that others wrote: names of files, and the journal's words of the service. */

/** Where recordings stand, in a column. */
export const WORD_WIDTH = Math.max(...standings.map((each) => standingWords[each].word.length))

export const printLine = (line: string, to: NodeJS.WritableStream = process.stdout): void => {
  to.write(`${showLine(line)}\n`)
}

/** Exact, also for names that would garble a terminal: those characters are JSON escapes. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).split('\n').map(escapeText).join('\n')

export const printJson = (value: unknown): void => {
  process.stdout.write(`${jsonText(value)}\n`)
}

/** Cleaned when it was written down; again here, because an older version may have written it. */
export const cleanProblem = (problem: Problem): Problem => JSON.parse(redactJson(problem))

/** Each text for itself: what is removed from one goes on to its end. */
export const problemLine = (problem: Problem): string =>
  sayProblem({ ...problem, sentence: redact(problem.sentence), next: redact(problem.next) })

const WIDTH = 80

/** Lines of at most 80 characters unless there is more room or less, each behind the margin. A word that is longer stays whole: it may be a path. */
export const wrapText = (text: string, margin: number, width = WIDTH): string[] => {
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

/** As wide as the terminal, and whole for whoever reads it with a program. */
export const printWrapped = (text: string, margin = 0): void => {
  const { isTTY, columns } = process.stdout
  const width = isTTY ? columns || WIDTH : Number.POSITIVE_INFINITY
  for (const line of wrapText(showLine(text), margin, width)) process.stdout.write(`${line}\n`)
}

/** What is written to whoever waits: in place in a terminal, a line for each tenth in a file. */
export const progressTeller = (
  to: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>,
  say: (share: number) => string,
): { readonly at: (share: number) => void; readonly end: () => void } => {
  let told = -1
  const steps = to.isTTY ? 1000 : 10
  return {
    at: (share) => {
      const step = Math.floor(Math.min(1, share) * steps)
      if (step <= told) return
      told = step
      to.write(to.isTTY ? `\r\u001b[K${say(share)}` : `${say(share)}\n`)
    },
    end: () => {
      if (to.isTTY && told >= 0) to.write('\r\u001b[K')
    },
  }
}
