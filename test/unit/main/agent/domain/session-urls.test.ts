import { expect, test } from 'vitest'
import { SessionUrls } from '../../../../../main/agent/domain/session-urls.ts'

const HOUR_MS = 3_600_000
const urlsUntil = (expiresAtMs: number, ...numbers: number[]) => ({
  expiresAtMs,
  parts: numbers.map((number) => ({ number })),
})

test('URLs are renewed a minute before they expire', () => {
  const urls = new SessionUrls(HOUR_MS)
  expect(urls.areNearExpiry(0)).toBe(false)
  expect(urls.areNearExpiry(HOUR_MS - 60_000)).toBe(false)
  expect(urls.areNearExpiry(HOUR_MS - 59_999)).toBe(true)
})

test('short-lived URLs are used for 90% of their lifetime', () => {
  const urls = new SessionUrls(100_000)
  expect(urls.areNearExpiry(0)).toBe(false)
  expect(urls.areNearExpiry(90_000)).toBe(false)
  expect(urls.areNearExpiry(90_001)).toBe(true)
})

test('URLs without a known expiry are renewed before their use', () => {
  expect(new SessionUrls(null).areNearExpiry(0)).toBe(true)
})

test('Sluice uses new URLs even if they look expired, because their date must be wrong', () => {
  const urls = new SessionUrls(null)
  const oldUrlWorks = urls.renew(urlsUntil(HOUR_MS, 1), 2 * HOUR_MS)
  expect(urls.areNearExpiry(2 * HOUR_MS)).toBe(false)
  expect(oldUrlWorks(2)).toBe(true)
})

test('Sluice uses an old URL until its own expiry, even if newer URLs live longer', () => {
  expect(new SessionUrls(HOUR_MS).renew(urlsUntil(9 * HOUR_MS, 1), HOUR_MS - 1)(2)).toBe(true)
  expect(new SessionUrls(HOUR_MS).renew(urlsUntil(9 * HOUR_MS, 1), HOUR_MS)(2)).toBe(false)
})

test('a part whose URL was refused is sent again only after the service has replaced the URL', () => {
  const urls = new SessionUrls(HOUR_MS)
  urls.markRefused(1)
  urls.markRefused(2)
  const oldUrlWorks = urls.renew(urlsUntil(2 * HOUR_MS, 1), 0)
  expect(oldUrlWorks(1)).toBe(true)
  expect(oldUrlWorks(2)).toBe(false)
})

test('an answer without URLs does not change the known expiry', () => {
  const urls = new SessionUrls(HOUR_MS)
  urls.renew(null, 0)
  expect(urls.expiresAtMs).toBe(HOUR_MS)
})
