import { useLayoutEffect, useRef } from 'react'

/** This many characters at the end stay visible. They hold the number of a recording and its extension. */
const END_LENGTH = 14

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * With `text-overflow`, the box stays as wide as the space and leaves a gap after "…", up to one letter wide. Ends the box at
 * the last letter that fits. The style `middle-name-cut` puts "…" before the end of the name.
 */
const cutMiddle = (name: HTMLElement, start: HTMLElement): void => {
  name.classList.remove('middle-name-cut')
  start.style.maxWidth = ''
  const text = start.firstChild
  if (text === null || start.scrollWidth <= start.clientWidth) return
  name.classList.add('middle-name-cut')
  const space = start.getBoundingClientRect().width
  const letters = document.createRange()
  letters.selectNodeContents(text)
  let shown = 0
  for (const { index, segment } of characters.segment(text.textContent ?? '')) {
    letters.setEnd(text, index + segment.length)
    const { width } = letters.getBoundingClientRect()
    if (width > space) break
    shown = width
  }
  start.style.maxWidth = `${shown}px`
}

/** A name on one line. A long name loses its middle, because the names of one night differ at the end. */
export function TruncatedName({ name }: { readonly name: string }) {
  const element = useRef<HTMLElement>(null)
  const start = useRef<HTMLSpanElement>(null)
  const letters = [...characters.segment(name)].map(({ segment }) => segment)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a different name has a different gap.
  useLayoutEffect(() => {
    const [whole, begin] = [element.current, start.current]
    if (whole === null || begin === null) return
    const observer = new ResizeObserver(() => cutMiddle(whole, begin))
    observer.observe(whole)
    return () => observer.disconnect()
  }, [name])

  return (
    <bdi ref={element} className="middle-name" title={name}>
      <span ref={start} className="middle-name-start">
        {letters.slice(0, Math.max(0, letters.length - END_LENGTH)).join('')}
      </span>
      <span className="middle-name-end">{letters.slice(-END_LENGTH).join('')}</span>
    </bdi>
  )
}
