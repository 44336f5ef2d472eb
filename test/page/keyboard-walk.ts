import type { Page } from 'playwright-core'

/**
 * The controls that the keyboard must reach. Rows with `aria-selected` never get the focus: their list keeps the
 * focus and moves a highlight from row to row.
 */
const CONTROLS = [
  'button, a[href], input, select, textarea, summary',
  '[role=button], [role=link], [role=tab], [role=grid], [role=checkbox], [role=radio], [role=switch]',
  '[role=gridcell][tabindex], [role=row][aria-selected], [tabindex="0"]',
].join()

/** Widgets with a single Tab stop. The arrow keys move inside. */
const ARROW_WIDGETS = '[role=grid], [role=radiogroup], [role=toolbar], [role=tablist]'

/** A date field has one Tab stop for each of its parts, but the same element keeps the focus. */
const MOST_STOPS_OF_A_FIELD = 8

type Stop = {
  /** The order in which the walk first reached the control. */
  readonly number: number
  readonly isNew: boolean
  readonly isInScreen: boolean
  readonly name: string
  readonly hasFocusRing: boolean
  readonly isInSight: boolean
  /** The role of the arrow widget around the control, if the walk has not been in this widget before. */
  readonly newWidget: string | null
  readonly isFolded: boolean
}

/** Describes the focused control and marks it as reached. */
const readStop = (page: Page): Promise<Stop> =>
  page.evaluate((arrowWidgets) => {
    const focused = document.activeElement ?? document.body
    const highlightedId = focused.getAttribute('aria-activedescendant')
    const item = ((highlightedId !== null && document.getElementById(highlightedId)) ||
      focused) as HTMLElement
    const isNew = item.dataset.stop === undefined
    if (isNew) {
      const { body } = document
      body.dataset.stops = String(Number(body.dataset.stops ?? 0) + 1)
      item.dataset.stop = body.dataset.stops
    }
    ;(focused as HTMLElement).dataset.stop ??= 'list'

    // The input of a switch or radio button is one pixel wide, so its label draws the focus ring.
    const label = item.closest('label')
    const isDrawn = (element: Element) => {
      for (let part: Element | null = element; part !== null; part = part.parentElement)
        if (part.getBoundingClientRect().width <= 1) return false
      return true
    }
    const drawn = [item, ...(label === null ? [] : [label, ...label.querySelectorAll('*')])].filter(isDrawn)
    const hasFocusRing = drawn.some((element) => {
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element)
      return outlineStyle !== 'none' && outlineWidth !== '0px' && outlineColor !== 'rgba(0, 0, 0, 0)'
    })

    const { left, right, top, bottom } = (drawn[0] ?? item).getClientRects()[0] ?? new DOMRect()
    const statusBarTop =
      document.querySelector('.statusbar')?.getBoundingClientRect().top ?? window.innerHeight
    const visibleTop = Math.max(top, 0)
    const visibleBottom = Math.min(bottom, statusBarTop)
    const onTop = document.elementFromPoint((left + right) / 2, (visibleTop + visibleBottom) / 2)
    const isInSight = visibleTop < visibleBottom && drawn.some((element) => element.contains(onTop))

    const widget = focused.closest<HTMLElement>(arrowWidgets)
    const newWidget = widget?.dataset.walked === undefined ? (widget?.getAttribute('role') ?? null) : null
    if (widget !== null) widget.dataset.walked = ''
    return {
      number: Number(item.dataset.stop),
      isNew,
      isInScreen: document.querySelector('main')?.contains(focused) ?? false,
      name:
        item.getAttribute('aria-label') ??
        label?.textContent ??
        (item.textContent || item.outerHTML.slice(0, 160)),
      hasFocusRing,
      isInSight,
      newWidget,
      isFolded: focused.matches('details:not([open]) > summary, [aria-expanded=false]:not([aria-haspopup])'),
    }
  }, ARROW_WIDGETS)

/** Walks through a screen by keyboard and collects problems, such as a control without a focus ring. */
export class KeyboardWalk {
  readonly #page: Page
  readonly problems: string[] = []
  stopCount = 0

  constructor(page: Page) {
    this.#page = page
  }

  async throughScreen(): Promise<void> {
    let repeats = 0
    let stop = await this.#press('Tab')
    while (stop.isInScreen) {
      if (stop.newWidget !== null) stop = await this.#walkWidget(stop)
      if (stop.isFolded) await this.#unfold(stop)
      const next = await this.#press('Tab')
      const isSameField = next.number === stop.number
      repeats = isSameField ? repeats + 1 : 0
      if (next.isInScreen && !next.isNew && (!isSameField || repeats > MOST_STOPS_OF_A_FIELD)) {
        this.problems.push(`Tab does not leave the screen. It returns to: ${next.name}`)
        return
      }
      stop = next
    }
  }

  async #press(key: string): Promise<Stop> {
    await this.#page.keyboard.press(key)
    const stop = await readStop(this.#page)
    if (stop.isInScreen && stop.isNew) {
      this.stopCount += 1
      if (!stop.hasFocusRing) this.problems.push(`no focus ring: ${stop.name}`)
      if (!stop.isInSight) this.problems.push(`focused out of sight: ${stop.name}`)
    }
    return stop
  }

  async #unfold(stop: Stop): Promise<void> {
    if ((await this.#press('Enter')).isFolded) this.problems.push(`Enter does not unfold: ${stop.name}`)
  }

  async #walkWidget(start: Stop): Promise<Stop> {
    if (start.newWidget === 'grid') return this.#walkGrid(start)
    const left = await this.#pressUntilEnd('ArrowLeft', start)
    // The first radio button follows the last, so a full round reaches all of them and restores the choice.
    return left.hasWrapped ? left.stop : (await this.#pressUntilEnd('ArrowRight', left.stop)).stop
  }

  /** Walks all rows, to the right in one row and to the left in the next. Ctrl moves without selecting. */
  async #walkGrid(start: Stop): Promise<Stop> {
    let { stop } = await this.#pressUntilEnd('Control+ArrowUp', start)
    stop = (await this.#pressUntilEnd('Control+ArrowLeft', stop)).stop
    for (let row = 0; ; row += 1) {
      const key = row % 2 === 0 ? 'Control+ArrowRight' : 'Control+ArrowLeft'
      stop = (await this.#pressUntilEnd(key, stop)).stop
      const below = await this.#press('Control+ArrowDown')
      if (below.number === stop.number) return stop
      stop = below
    }
  }

  /** Presses a key until the focus stays where it is, or returns to the start. */
  async #pressUntilEnd(key: string, start: Stop): Promise<{ stop: Stop; hasWrapped: boolean }> {
    for (let stop = start; ; ) {
      const next = await this.#press(key)
      if (next.number === stop.number) return { stop, hasWrapped: false }
      if (next.number === start.number) return { stop: next, hasWrapped: true }
      stop = next
    }
  }

  /** The names of enabled controls that the walk did not reach. */
  unreachedControls(): Promise<string[]> {
    return this.#page.evaluate(
      (controls) =>
        [...document.querySelectorAll<HTMLElement>(`main :is(${controls})`)]
          .filter((control) => control.checkVisibility({ visibilityProperty: true }))
          .filter((control) => control.closest('[inert], [aria-hidden=true]') === null)
          .filter((control) => !control.matches(':disabled, [aria-disabled=true]'))
          // A grid whose cells get the focus never gets it itself, and is marked as `walked`.
          .filter((control) => control.dataset.stop === undefined && control.dataset.walked === undefined)
          .map((control) => control.outerHTML.slice(0, 200)),
      CONTROLS,
    )
  }
}
