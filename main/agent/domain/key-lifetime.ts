import { KEY_LIFETIME_MS, UNCONFIRMED_KEY_LIFETIME_MS } from './retry-limits.ts'

/** One moment by this PC's clock and by the service's clock. `serviceMs` is null if the service's time was unknown. */
export type TimeOnBothClocks = { readonly wallMs: number; readonly serviceMs: number | null }

/**
 * Whether the service still repeats its first answer for the idempotency key (§8). The key must be young by both
 * clocks: setting this PC's clock back makes a key look younger. Without the service's time, only this PC's clock
 * counts, with a shorter lifetime.
 */
export const isKeyLive = (sent: TimeOnBothClocks, now: TimeOnBothClocks): boolean => {
  const ageMs = now.wallMs - sent.wallMs
  const serviceAgeMs =
    sent.serviceMs === null || now.serviceMs === null ? null : now.serviceMs - sent.serviceMs
  const lifetimeMs = serviceAgeMs === null ? UNCONFIRMED_KEY_LIFETIME_MS : KEY_LIFETIME_MS
  return ageMs >= 0 && Math.max(ageMs, serviceAgeMs ?? 0) < lifetimeMs
}
