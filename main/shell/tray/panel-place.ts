type Point = { readonly x: number; readonly y: number }
type Size = { readonly width: number; readonly height: number }
type Area = Point & Size

/** The gap between the panel and the icon or the edge of the screen. */
const GAP = 8

const clamp = (value: number, from: number, to: number): number => Math.max(from, Math.min(value, to))

/**
 * The position of the panel: beside the icon, inside the work area of its screen. Some desktops do not report
 * the icon's place. Then the pointer, which has just clicked the icon, shows it.
 */
export const panelPlace = (icon: Area, pointer: Point, area: Area, { width, height }: Size): Area => {
  const isKnown = icon.width > 0 && icon.height > 0
  const anchor = isKnown ? icon : { ...pointer, width: 0, height: 0 }
  const middle = { x: anchor.x + anchor.width / 2, y: anchor.y + anchor.height / 2 }
  const isLow = middle.y > area.y + area.height / 2
  const y = isLow ? anchor.y - GAP - height : anchor.y + anchor.height + GAP
  return {
    x: Math.round(clamp(middle.x - width / 2, area.x + GAP, area.x + area.width - width - GAP)),
    y: Math.round(clamp(y, area.y + GAP, area.y + area.height - height - GAP)),
    width,
    height,
  }
}
