/** A failure in several lines. Any other is told in one, whatever stands in the names it speaks of. */
export class SeveralLines extends Error {
  readonly lines: readonly string[]

  constructor(...lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}
