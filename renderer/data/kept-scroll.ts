/** How far a part of the page was scrolled: the one that has this class, and which of them. */
export type Scrolled = { readonly selector: string; readonly index: number; readonly top: number }

/** A list is as long as it was only once its first rows have come. */
const LOADED_WITHIN_MS = 30_000

export const scrolledNow = (): readonly Scrolled[] =>
  [...document.querySelectorAll<HTMLElement>('[class]')].flatMap((element) => {
    const [name] = element.classList
    if (element.scrollTop <= 0 || name === undefined) return []
    const selector = `.${CSS.escape(name)}`
    return [
      { selector, index: [...document.querySelectorAll(selector)].indexOf(element), top: element.scrollTop },
    ]
  })

/** Each as soon as there is enough to scroll; the person's own hand ends it, and so does another screen. */
export const restoreScroll = (places: readonly Scrolled[], isOver: () => boolean): void => {
  const waiting = new Set(places)
  const startedAt = performance.now()
  let isTaken = false
  const taken = () => {
    isTaken = true
  }
  for (const event of ['wheel', 'keydown', 'pointerdown'])
    window.addEventListener(event, taken, { once: true, capture: true })
  const step = () => {
    if (isTaken || isOver()) return
    for (const place of waiting) {
      const element = document.querySelectorAll(place.selector)[place.index]
      if (element === undefined || element.scrollHeight - element.clientHeight < place.top) continue
      element.scrollTop = place.top
      waiting.delete(place)
    }
    if (waiting.size > 0 && performance.now() - startedAt < LOADED_WITHIN_MS) requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
}
