/**
 * The scroll position of one element. `selector` is its first class, and `index` its place among the elements with that
 * class.
 */
export type ScrollPosition = { readonly selector: string; readonly index: number; readonly top: number }

/** The time limit for restoring. A list reaches its full length only after its first rows are loaded. */
const RESTORE_TIMEOUT_MS = 30_000

export const readScrollPositions = (): readonly ScrollPosition[] =>
  [...document.querySelectorAll<HTMLElement>('[class]')].flatMap((element) => {
    const [name] = element.classList
    if (element.scrollTop <= 0 || name === undefined) return []
    const selector = `.${CSS.escape(name)}`
    return [
      { selector, index: [...document.querySelectorAll(selector)].indexOf(element), top: element.scrollTop },
    ]
  })

/**
 * Restores each position as soon as its element is long enough. Stops when the user acts or navigates, or after the
 * time limit.
 */
export const restoreScroll = (positions: readonly ScrollPosition[], isOver: () => boolean): void => {
  const pendingPositions = new Set(positions)
  const startedAt = performance.now()
  let hasUserActed = false
  const stop = () => {
    hasUserActed = true
  }
  for (const event of ['wheel', 'keydown', 'pointerdown'])
    window.addEventListener(event, stop, { once: true, capture: true })
  const step = () => {
    if (hasUserActed || isOver()) return
    for (const position of pendingPositions) {
      const element = document.querySelectorAll(position.selector)[position.index]
      if (element === undefined || element.scrollHeight - element.clientHeight < position.top) continue
      element.scrollTop = position.top
      pendingPositions.delete(position)
    }
    if (pendingPositions.size > 0 && performance.now() - startedAt < RESTORE_TIMEOUT_MS)
      requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
}
