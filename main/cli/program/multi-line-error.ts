/**
 * An error that prints several lines. In the text of all other errors, `showLine` escapes line breaks, because they may
 * come from file names.
 */
export class MultiLineError extends Error {
  readonly lines: readonly string[]

  constructor(...lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}
