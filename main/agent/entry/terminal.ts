import { escapeText, showLine } from '../../../shared/escape-text.ts'
import { redact, redactJson } from '../../../shared/redact.ts'
import { type Problem, standings } from '../../../shared/status.ts'
import { sayProblem, standingWords } from '../../../shared/words.ts'

/** What the terminal shows of texts that others wrote: names of files, and the journal's words of the service. */

/** Where recordings stand, in a column. */
export const WORD_WIDTH = Math.max(...standings.map((each) => standingWords[each].word.length))

export const printLine = (line: string, to: NodeJS.WritableStream = process.stdout): void => {
  to.write(`${showLine(line)}\n`)
}

/** Exact, also for names that would garble a terminal: those characters are JSON escapes. */
export const printJson = (value: unknown): void => {
  process.stdout.write(`${escapeText(JSON.stringify(value))}\n`)
}

/** Cleaned when it was written down; again here, because an older version may have written it. */
export const cleanProblem = (problem: Problem): Problem => JSON.parse(redactJson(problem))

/** Each text for itself: what is removed from one goes on to its end. */
export const problemLine = (problem: Problem): string =>
  sayProblem({ ...problem, sentence: redact(problem.sentence), next: redact(problem.next) })
