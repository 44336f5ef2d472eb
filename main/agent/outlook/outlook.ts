import type { TransferSettings } from '../../../shared/settings/settings.ts'
import type { Forecast } from '../../../shared/status/forecast.ts'
import { forecastUpload, type UploadForecast } from '../domain/forecast.ts'
import { rateFromCurrentSpeed, type Sent, sendingRate } from '../domain/sending-rate.ts'
import { type UsualRecording, usualRecording } from '../domain/usual-recording.ts'
import type { Journal } from '../journal/journal.ts'

const MINUTE_MS = 60_000
/** How long results are cached. The usual recording volume changes by the day, the upload speed by the minute. */
const USUAL_CACHE_MS = MINUTE_MS
const FORECAST_CACHE_MS = 5_000
/**
 * If uploads end within this time, the forecast uses the speed that the window shows, because users compare the two.
 */
const SOON_MS = 15 * MINUTE_MS

/** The settings that a forecast depends on. */
export type OutlookSettings = {
  readonly transfer: Pick<TransferSettings, 'windows' | 'limit_mbit_per_s'>
  readonly folders: readonly string[]
}

type ForecastRequest = {
  readonly settings: OutlookSettings | null
  /** The queued bytes, without recordings that need attention. */
  readonly bytes: number
  readonly stopped: boolean
  readonly pause: { readonly untilMs: number | null } | null
  /** Until this time, uploads run outside the upload hours at a user's request. */
  readonly hoursIgnoredUntilMs?: number
  /** The speed of all uploads at this moment. Null while nothing is sent. */
  readonly bytesPerSecondNow?: number | null
  readonly nowMs: number
}

/**
 * Distant times are rounded more coarsely: a forecast is not exact, and users do not trust a time that changes every
 * second.
 */
const roundingStepMs = (awayMs: number): number => {
  if (awayMs < SOON_MS) return MINUTE_MS
  return (awayMs < 60 * MINUTE_MS ? 5 : awayMs < 6 * 60 * MINUTE_MS ? 10 : 15) * MINUTE_MS
}

const roundTime = (
  atMs: number | null,
  nowMs: number,
  round: (value: number) => number = Math.round,
): string | null => {
  if (atMs === null) return null
  const stepMs = roundingStepMs(atMs - nowMs)
  // A time less than 15 minutes away is rounded up, so that rounding never shows an end that is too early.
  const roundedMs = (stepMs === MINUTE_MS ? Math.ceil : round)(atMs / stepMs) * stepMs
  return new Date(roundedMs > nowMs ? roundedMs : Math.ceil(nowMs / stepMs) * stepMs).toISOString()
}

/** Computes the upload forecast from measured speeds and from the usual recording volume. */
export class Outlook {
  readonly #journal: Journal
  readonly #recent: () => Sent
  #usual: { readonly atMs: number; readonly key: string; readonly value: UsualRecording | null } | null = null
  #cachedForecast: { readonly atMs: number; readonly key: string; readonly value: ComputedForecast } | null =
    null

  constructor(journal: Journal, recent: () => Sent) {
    this.#journal = journal
    this.#recent = recent
  }

  forecast(request: ForecastRequest): Forecast {
    const {
      settings,
      bytes,
      stopped,
      pause,
      hoursIgnoredUntilMs = 0,
      bytesPerSecondNow = null,
      nowMs,
    } = request
    if (bytes <= 0 || settings === null) return { kind: 'nothing' }
    if (stopped) return { kind: 'held', bytes, by: 'problem' }
    if (pause !== null && pause.untilMs === null) return { kind: 'held', bytes, by: 'pause' }
    const computed = this.#forecastFor(settings, {
      bytes,
      fromMs: pause?.untilMs ?? nowMs,
      hoursIgnoredUntilMs,
      bytesPerSecondNow: pause === null ? bytesPerSecondNow : null,
      nowMs,
    })
    if (computed === null) return { kind: 'unmeasured', bytes }
    const { forecast, atRisk } = computed
    const { startsAtMs, doneAtMs, deadlineMs, capacityBytes, withUsual } = forecast
    if (startsAtMs === null) return { kind: 'held', bytes, by: 'hours' }
    return {
      kind: 'known',
      bytes,
      bytesPerSecond: Math.round(forecast.bytesPerSecond),
      startsAt: startsAtMs > nowMs ? new Date(startsAtMs).toISOString() : null,
      doneAt: roundTime(doneAtMs, nowMs),
      earliest: roundTime(forecast.earliestMs, nowMs, Math.floor),
      latest: roundTime(forecast.latestMs, nowMs, Math.ceil),
      deadline: deadlineMs === null ? null : new Date(deadlineMs).toISOString(),
      bytesShort: capacityBytes === null ? 0 : Math.max(0, Math.round(bytes - capacityBytes)),
      atRisk,
      more:
        withUsual === null
          ? null
          : {
              bytes: Math.round(withUsual.arrivingBytes),
              bytesShort: Math.round(withUsual.unsentBytes),
              doneAt: roundTime(withUsual.doneAtMs, nowMs),
            },
    }
  }

  /** The usual recording volume of these folders together. */
  usualRecordingIn(folders: readonly string[], nowMs: number): UsualRecording | null {
    const { rates } = this.#journal
    return usualRecording(rates.recordedHours(folders), rates.watchedSinceMs(folders), nowMs)
  }

  #usualOf({ folders }: OutlookSettings, nowMs: number): UsualRecording | null {
    const key = folders.join('\n')
    const cached = this.#usual
    if (cached?.key === key && Math.abs(nowMs - cached.atMs) < USUAL_CACHE_MS) return cached.value
    const value = this.usualRecordingIn(folders, nowMs)
    this.#usual = { atMs: nowMs, key, value }
    return value
  }

  #forecastFor(settings: OutlookSettings, queue: Queue): ComputedForecast {
    const { transfer } = settings
    const { fromMs, hoursIgnoredUntilMs, nowMs } = queue
    const key = JSON.stringify([
      transfer.windows,
      transfer.limit_mbit_per_s,
      fromMs > nowMs && fromMs,
      hoursIgnoredUntilMs,
      soonSpeed(queue) !== null,
    ])
    const cached = this.#cachedForecast
    // Never reuse a missing forecast: the first measured speed makes a forecast possible.
    if (cached?.value != null && cached.key === key && Math.abs(nowMs - cached.atMs) < FORECAST_CACHE_MS)
      return cached.value
    const value = this.#computeForecast(settings, queue)
    this.#cachedForecast = { atMs: nowMs, key, value }
    return value
  }

  #computeForecast(settings: OutlookSettings, queue: Queue): ComputedForecast {
    const { bytes, nowMs } = queue
    const measured = sendingRate(this.#journal.rates.sentHours(), this.#recent(), nowMs)
    const speed = soonSpeed(queue)
    const rate = speed === null ? measured : rateFromCurrentSpeed(speed, measured)
    if (rate === null) return null
    const usual = this.#usualOf(settings, nowMs)
    const forecast = forecastUpload({ ...queue, transfer: settings.transfer, rate, usual })
    const { capacityBytes } = forecast
    const isShort = capacityBytes !== null && capacityBytes < bytes
    return { forecast, atRisk: isShort ? this.#journal.sendQueue.findNotFitting(capacityBytes) : null }
  }
}

/** The bytes to upload, and the time when their upload may start. */
type Queue = Required<
  Pick<ForecastRequest, 'bytes' | 'hoursIgnoredUntilMs' | 'bytesPerSecondNow' | 'nowMs'>
> & {
  readonly fromMs: number
}

/** The current speed, if it empties the queue soon. Otherwise null. */
const soonSpeed = ({ bytes, bytesPerSecondNow }: Queue): number | null =>
  bytesPerSecondNow !== null && (bytes / bytesPerSecondNow) * 1000 < SOON_MS ? bytesPerSecondNow : null

type ComputedForecast = {
  readonly forecast: UploadForecast
  readonly atRisk: { readonly recordings: number; readonly fromId: number } | null
} | null
