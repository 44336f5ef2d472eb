/** The number of characters at the end that stay visible. They contain the number and the extension of a recording. */
const END_LENGTH = 14

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** A name on one line. A long name is cut in the middle, because the names of one night differ at the end. */
export function TruncatedName({ name }: { readonly name: string }) {
  const letters = [...characters.segment(name)].map(({ segment }) => segment)
  const start = letters.slice(0, Math.max(0, letters.length - END_LENGTH)).join('')
  return (
    <bdi className="truncated-name" title={name}>
      <span className="truncated-name-start">{start}</span>
      <span className="truncated-name-end">{letters.slice(-END_LENGTH).join('')}</span>
    </bdi>
  )
}
