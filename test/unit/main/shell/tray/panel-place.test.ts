import fc from 'fast-check'
import { expect, test } from 'vitest'
import { panelPlace } from '../../../../../main/shell/tray/panel-place.ts'

const size = { width: 340, height: 260 }
const area = { x: 0, y: 0, width: 1920, height: 1040 }
const unknownIcon = { x: 0, y: 0, width: 0, height: 0 }

test.each([
  ['above a taskbar at the bottom', { x: 1700, y: 1050, width: 24, height: 24 }, area, { x: 1542, y: 772 }],
  [
    'below a menu bar at the top',
    { x: 1500, y: 0, width: 30, height: 24 },
    { x: 0, y: 24, width: 1920, height: 1056 },
    { x: 1345, y: 32 },
  ],
  [
    'inside the screen beside a taskbar at the right',
    { x: 1880, y: 900, width: 24, height: 24 },
    { x: 0, y: 0, width: 1860, height: 1080 },
    { x: 1512, y: 632 },
  ],
])('the panel opens %s', (_, icon, workArea, place) => {
  expect(panelPlace(icon, { x: 0, y: 0 }, workArea, size)).toEqual({ ...place, ...size })
})

test('the panel opens at the pointer if the desktop does not report the place of the icon', () => {
  expect(panelPlace(unknownIcon, { x: 900, y: 12 }, area, size)).toEqual({ x: 730, y: 20, ...size })
})

test('the panel is always inside the work area', () => {
  const number = fc.integer({ min: -4_000, max: 4_000 })
  const icons = fc.record({
    x: number,
    y: number,
    width: fc.integer({ min: 0, max: 64 }),
    height: fc.integer({ min: 0, max: 64 }),
  })
  const pointers = fc.record({ x: number, y: number })
  fc.assert(
    fc.property(icons, pointers, (icon, pointer) => {
      const { x, y, width, height } = panelPlace(icon, pointer, area, size)
      expect(x).toBeGreaterThanOrEqual(area.x)
      expect(y).toBeGreaterThanOrEqual(area.y)
      expect(x + width).toBeLessThanOrEqual(area.x + area.width)
      expect(y + height).toBeLessThanOrEqual(area.y + area.height)
    }),
  )
})
