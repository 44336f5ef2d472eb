/**
 * Hard case: Signed URLs expire.
 * Before each part, the uploader checks the expiry by the service's clock, and fetches new URLs in time. If new URLs
 * look expired, their date is wrong, and Sluice lets the storage decide.
 */

/** Sluice renews URLs that have less time left than both limits, so that a slow part does not outlive its URL. */
const MAX_MARGIN_MS = 60_000
const MARGIN_SHARE_OF_LIFETIME = 0.1

/**
 * Decides whether the signed URLs of one session still work. Uses the service's time, because the storage checks the
 * expiry.
 */
export class SessionUrls {
  readonly #refused = new Set<number>()
  #expiresAtMs: number | null
  /** The longest remaining time so far, which estimates the lifetime of a URL. */
  #lifetimeMs = 0
  /** True if new URLs already looked expired. Then the storage decides. */
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

  /** Call this after the storage refused this part: its URL is invalid until the service sends a new one. */
  markRefused(part: number): void {
    this.#refused.add(part)
  }

  /**
   * Stores the service's new URLs; null if it sent none. The returned function tells whether a part's old URL still
   * works.
   */
  renew(
    newUrls: { readonly expiresAtMs: number; readonly parts: readonly { readonly number: number }[] } | null,
    nowMs: number,
  ): (part: number) => boolean {
    // New URLs that seem expired have a wrong date, from the service or a proxy.
    this.#isDateWrong = newUrls !== null && newUrls.expiresAtMs <= nowMs
    const areOldUrlsLive = this.#isDateWrong || (this.#expiresAtMs ?? 0) > nowMs
    this.#expiresAtMs = newUrls?.expiresAtMs ?? this.#expiresAtMs
    for (const { number } of newUrls?.parts ?? []) this.#refused.delete(number)
    return (part) => areOldUrlsLive && !this.#refused.has(part)
  }
}
