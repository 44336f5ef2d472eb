type Point = { readonly x: number; readonly y: number }
type Size = { readonly width: number; readonly height: number }
type Area = Point & Size

/** The gap between the panel and the icon or the edge of the screen. */
const GAP_PX = 8

const clamp = (value: number, from: number, to: number): number => Math.max(from, Math.min(value, to))

/**
 * The panel opens beside the icon, inside the work area of the icon's screen. If the desktop does not report where the
 * icon is, the panel opens at the pointer, because the user has just clicked the icon.
 */
export const panelPlace = (icon: Area, pointer: Point, area: Area, { width, height }: Size): Area => {
  const isIconKnown = icon.width > 0 && icon.height > 0
  const anchor = isIconKnown ? icon : { ...pointer, width: 0, height: 0 }
  const middle = { x: anchor.x + anchor.width / 2, y: anchor.y + anchor.height / 2 }
  const isLow = middle.y > area.y + area.height / 2
  const y = isLow ? anchor.y - GAP_PX - height : anchor.y + anchor.height + GAP_PX
  return {
    x: Math.round(clamp(middle.x - width / 2, area.x + GAP_PX, area.x + area.width - width - GAP_PX)),
    y: Math.round(clamp(y, area.y + GAP_PX, area.y + area.height - height - GAP_PX)),
    width,
    height,
  }
}
