/**
 * Hard case: Signed URLs expire.
 * The uploader checks the expiry before each part, by the service's clock, and fetches new URLs in time. If new URLs
 * already look expired, the service or a proxy sent a wrong date, and Sluice lets the storage decide.
 */

/** Sluice renews the URLs when the time left is less than both limits, so that a slow part does not outlive its URL. */
const MAX_MARGIN_MS = 60_000
const MARGIN_SHARE_OF_LIFETIME = 0.1

/**
 * Decides whether the signed URLs of one session still work. All times are the service's, because the storage checks
 * the expiry, not this PC.
 */
export class SessionUrls {
  readonly #refused = new Set<number>()
  #expiresAtMs: number | null
  /** The longest remaining time so far: the best estimate of a URL's lifetime. */
  #lifetimeMs = 0
  /** Whether new URLs already looked expired. In that case, the date is wrong, and Sluice lets the storage decide. */
  #isDateWrong = false

  constructor(expiresAtMs: number | null) {
    this.#expiresAtMs = expiresAtMs
  }

  get expiresAtMs(): number | null {
    return this.#expiresAtMs
  }

  areNearExpiry(nowMs: number): boolean {
    if (this.#isDateWrong) return false
    if (this.#expiresAtMs === null) return true
    const leftMs = this.#expiresAtMs - nowMs
    this.#lifetimeMs = Math.max(this.#lifetimeMs, leftMs)
    return leftMs < Math.min(MAX_MARGIN_MS, this.#lifetimeMs * MARGIN_SHARE_OF_LIFETIME)
  }

  /** Call when the storage has refused this part: its URL then counts as invalid until the service sends a new one. */
  markRefused(part: number): void {
    this.#refused.add(part)
  }

  /**
   * Takes the service's new URLs; null if the service sent none. For a part that got no new URL, the returned function
   * returns whether the old URL still works.
   */
  renew(
    newUrls: { readonly expiresAtMs: number; readonly parts: readonly { readonly number: number }[] } | null,
    nowMs: number,
  ): (part: number) => boolean {
    // New URLs cannot have expired already. If they seem to, the service or a proxy sent a wrong date.
    this.#isDateWrong = newUrls !== null && newUrls.expiresAtMs <= nowMs
    const areOldUrlsLive = this.#isDateWrong || (this.#expiresAtMs ?? 0) > nowMs
    this.#expiresAtMs = newUrls?.expiresAtMs ?? this.#expiresAtMs
    for (const { number } of newUrls?.parts ?? []) this.#refused.delete(number)
    return (part) => areOldUrlsLive && !this.#refused.has(part)
  }
}
