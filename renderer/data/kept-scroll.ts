/** The scroll position of one element: its class, and its index among elements of that class. */
export type Scrolled = { readonly selector: string; readonly index: number; readonly top: number }

/** A list reaches its length only after its first rows are loaded. */
const RESTORE_TIMEOUT_MS = 30_000

export const scrolledNow = (): readonly Scrolled[] =>
  [...document.querySelectorAll<HTMLElement>('[class]')].flatMap((element) => {
    const [name] = element.classList
    if (element.scrollTop <= 0 || name === undefined) return []
    const selector = `.${CSS.escape(name)}`
    return [
      { selector, index: [...document.querySelectorAll(selector)].indexOf(element), top: element.scrollTop },
    ]
  })

/** Restores each position once the element is long enough. Stops when the user acts or navigates. */
export const restoreScroll = (places: readonly Scrolled[], isOver: () => boolean): void => {
  const waiting = new Set(places)
  const startedAt = performance.now()
  let hasUserActed = false
  const stop = () => {
    hasUserActed = true
  }
  for (const event of ['wheel', 'keydown', 'pointerdown'])
    window.addEventListener(event, stop, { once: true, capture: true })
  const step = () => {
    if (hasUserActed || isOver()) return
    for (const place of waiting) {
      const element = document.querySelectorAll(place.selector)[place.index]
      if (element === undefined || element.scrollHeight - element.clientHeight < place.top) continue
      element.scrollTop = place.top
      waiting.delete(place)
    }
    if (waiting.size > 0 && performance.now() - startedAt < RESTORE_TIMEOUT_MS) requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
}
