import { DARK_BELOW, isMostlyDark, MAX_CONSTANT_RANGE, type PictureLook } from './picture-look.ts'

/** How the bytes of a pixel are laid out. `wide`: two bytes for each sample. */
export type PixelLayout = { readonly colours: number; readonly hasAlpha: boolean; readonly wide: boolean }

export const bytesPerPixel = ({ colours, hasAlpha, wide }: PixelLayout): number =>
  (colours + (hasAlpha ? 1 : 0)) * (wide ? 2 : 1)

/** Collects the pixels of one picture. */
export class PixelTally {
  readonly #layout: PixelLayout
  readonly #colourBytes: number
  readonly #lowest: Uint8Array
  readonly #highest: Uint8Array
  #pixels = 0
  #dark = 0

  constructor(layout: PixelLayout) {
    this.#layout = layout
    this.#colourBytes = layout.colours * (layout.wide ? 2 : 1)
    this.#lowest = new Uint8Array(this.#colourBytes).fill(255)
    this.#highest = new Uint8Array(this.#colourBytes)
  }

  /** Adds the pixels of one row. With `step`, only every step-th pixel. */
  addRow(row: Uint8Array, step = 1): void {
    const stride = bytesPerPixel(this.#layout) * step
    for (let at = 0; at + this.#colourBytes <= row.length; at += stride) {
      let brightest = 0
      for (let index = 0; index < this.#colourBytes; index += 1) {
        const sample = row[at + index]!
        if (sample > brightest) brightest = sample
        if (sample < this.#lowest[index]!) this.#lowest[index] = sample
        if (sample > this.#highest[index]!) this.#highest[index] = sample
      }
      this.#pixels += 1
      if (brightest < DARK_BELOW) this.#dark += 1
    }
  }

  /** Null if there are no pixels. Wide samples are often distances, so only zeros count as black. */
  get look(): PictureLook | null {
    if (this.#pixels === 0) return null
    const { wide } = this.#layout
    if (wide ? this.#highest.every((sample) => sample === 0) : isMostlyDark(this.#dark, this.#pixels))
      return 'black'
    const maxRange = wide ? 0 : MAX_CONSTANT_RANGE
    return this.#highest.every((high, index) => high - this.#lowest[index]! <= maxRange)
      ? 'constant'
      : 'varies'
  }
}
