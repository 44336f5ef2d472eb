import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { writeDurably } from '../../local-files/durable-file.ts'

const boundsSchema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(480).max(20_000),
  height: z.number().int().min(420).max(20_000),
  maximized: z.boolean(),
})
export type WindowState = z.output<typeof boundsSchema>
type Area = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

/** The visible part of the title bar that a user needs to drag the window. */
const GRIP_WIDTH = 120
const GRIP_HEIGHT = 32

const containsGrip = (area: Area, state: WindowState): boolean =>
  Math.min(area.x + area.width, state.x + state.width) - Math.max(area.x, state.x) >= GRIP_WIDTH &&
  state.y >= area.y &&
  state.y + GRIP_HEIGHT <= area.y + area.height

/** The saved position, or null if its screen is gone. */
export const usablePlace = (state: WindowState | null, screens: readonly Area[]): WindowState | null =>
  state !== null && screens.some((screen) => containsGrip(screen, state)) ? state : null

export const readWindowState = (file: string): WindowState | null => {
  try {
    return boundsSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // Missing or invalid: the system chooses a position.
    return null
  }
}

export const writeWindowState = (file: string, state: WindowState): void =>
  writeDurably(file, JSON.stringify(state))
