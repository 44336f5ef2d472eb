/**
 * An error that prints several lines. All other errors print one line: `showLine` escapes the line breaks in their
 * text, because file names may contain line breaks.
 */
export class MultiLineError extends Error {
  readonly lines: readonly string[]

  constructor(...lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}
