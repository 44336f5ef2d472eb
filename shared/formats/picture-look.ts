import { crc32 } from 'node:zlib'
import type { ChannelSignal } from '../status/inspection.ts'

/** What one picture shows. */
export type PictureLook = Exclude<ChannelSignal, 'silent'>

/** Black is 0 in full-range pictures and 16 in video-range pictures. The noise of a covered sensor adds a little. */
export const DARK_BELOW = 24
/** Less than all pixels, because a covered camera may still write the time into a corner. */
const MIN_DARK_SHARE = 0.99
/** In a picture of a single colour, rounding changes the samples by at most this much. */
export const MAX_CONSTANT_RANGE = 2
/** Two equal pictures may be chance. */
const MIN_EQUAL_PICTURES = 3

export const isMostlyDark = (dark: number, all: number): boolean => all > 0 && dark >= all * MIN_DARK_SHARE

/**
 * The sampled pictures of one channel. More than half of them decide whether the channel is black or constant. At
 * least three pictures that are all equal also make it constant.
 */
export class PictureSamples {
  #looks: PictureLook[] = []
  readonly #checksums = new Set<number>()

  /** `look` is null if Sluice could not check the picture. */
  add(bytes: Uint8Array, look: PictureLook | null): void {
    if (look === null) return
    this.#looks.push(look)
    this.#checksums.add(crc32(bytes))
  }

  get signal(): ChannelSignal | undefined {
    const count = this.#looks.length
    if (count === 0) return undefined
    const most = (['black', 'constant'] as const).find(
      (look) => this.#looks.filter((each) => each === look).length * 2 > count,
    )
    // A sensor adds noise to every picture, so equal pictures show that the camera hangs.
    if (most === undefined && count >= MIN_EQUAL_PICTURES && this.#checksums.size === 1) return 'constant'
    return most ?? 'varies'
  }
}
