/** How many characters at the end stay visible: enough for the recording's number and extension. */
const END_LENGTH = 14

const graphemeSegmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** A name on one line. A long name is cut in the middle, because the names of one night differ at the end. */
export function TruncatedName({ name }: { readonly name: string }) {
  const graphemes = [...graphemeSegmenter.segment(name)].map(({ segment }) => segment)
  const start = graphemes.slice(0, Math.max(0, graphemes.length - END_LENGTH)).join('')
  return (
    <bdi className="truncated-name" title={name}>
      <span className="truncated-name-start">{start}</span>
      <span className="truncated-name-end">{graphemes.slice(-END_LENGTH).join('')}</span>
    </bdi>
  )
}
