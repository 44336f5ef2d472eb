/** How far a part of the page was scrolled: the one that has this class, and which of them. */
export type Scrolled = { readonly selector: string; readonly index: number; readonly top: number }

/** A list is as long as it was only once its first rows have come. */
const LOADED_WITHIN_MS = 3_000
/** What is opened again is brought into sight by itself, just after its list. */
const HELD_FOR_MS = 500

export const scrolledNow = (): readonly Scrolled[] =>
  [...document.querySelectorAll<HTMLElement>('[class]')].flatMap((element) => {
    const [name] = element.classList
    if (element.scrollTop <= 0 || name === undefined) return []
    const selector = `.${CSS.escape(name)}`
    return [
      { selector, index: [...document.querySelectorAll(selector)].indexOf(element), top: element.scrollTop },
    ]
  })

/** As soon as there is enough to scroll; the person's own hand ends it. */
export const restoreScroll = (places: readonly Scrolled[]): void => {
  if (places.length === 0) return
  const startedAt = performance.now()
  let reachedAt: number | null = null
  let isTaken = false
  const taken = () => {
    isTaken = true
  }
  for (const event of ['wheel', 'keydown', 'pointerdown'])
    window.addEventListener(event, taken, { once: true, capture: true })
  const step = () => {
    const now = performance.now()
    const reached = places.map(({ selector, index, top }) => {
      const element = document.querySelectorAll(selector)[index]
      if (element === undefined || element.scrollHeight - element.clientHeight < top) return false
      element.scrollTop = top
      return true
    })
    if (reached.every(Boolean)) reachedAt ??= now
    const isOver = reachedAt === null ? now - startedAt > LOADED_WITHIN_MS : now - reachedAt > HELD_FOR_MS
    if (!isTaken && !isOver) requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
}
