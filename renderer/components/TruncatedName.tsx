import { useLayoutEffect, useRef } from 'react'

/** This many characters at the end stay visible. They hold the number of a recording and its extension. */
const END_LENGTH = 14

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

const widthOf = (text: string, { font }: CSSStyleDeclaration): number => {
  const context = document.createElement('canvas').getContext('2d')
  if (context === null) return 0
  context.font = font
  return context.measureText(text).width
}

/** The browser shows whole letters and "…", and leaves the rest of the box empty. Makes the box end at the "…". */
const closeGap = (start: HTMLElement): void => {
  start.style.maxWidth = ''
  const text = start.firstChild
  if (text === null || start.scrollWidth <= start.clientWidth) return
  const { left, width } = start.getBoundingClientRect()
  const ellipsis = widthOf('…', getComputedStyle(start))
  const letters = document.createRange()
  letters.selectNodeContents(text)
  let shown = 0
  for (const { index, segment } of characters.segment(text.textContent ?? '')) {
    letters.setEnd(text, index + segment.length)
    const end = letters.getBoundingClientRect().right - left
    if (end + ellipsis > width) break
    shown = end
  }
  // Without a fraction of a pixel to spare, rounding would hide one more letter.
  if (shown > 0) start.style.maxWidth = `${Math.min(width, shown + ellipsis + 0.5)}px`
}

/** A name on one line. A long name loses its middle, because the names of one night differ at the end. */
export function TruncatedName({ name }: { readonly name: string }) {
  const start = useRef<HTMLSpanElement>(null)
  const letters = [...characters.segment(name)].map(({ segment }) => segment)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a different name has a different gap.
  useLayoutEffect(() => {
    const element = start.current
    const whole = element?.parentElement
    if (element === null || whole == null) return
    const observer = new ResizeObserver(() => closeGap(element))
    observer.observe(whole)
    return () => observer.disconnect()
  }, [name])

  return (
    <bdi className="middle-name" title={name}>
      <span ref={start} className="middle-name-start">
        {letters.slice(0, Math.max(0, letters.length - END_LENGTH)).join('')}
      </span>
      <span className="middle-name-end">{letters.slice(-END_LENGTH).join('')}</span>
    </bdi>
  )
}
