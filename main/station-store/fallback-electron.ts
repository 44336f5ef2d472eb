import { isLoopback } from '../../shared/settings/loopback.ts'

/**
 * The launcher sets `SLUICE_FALLBACK_ELECTRON` if the app runs on the pinned fallback Electron: to `1`, or to `allowed`
 * if the user allowed it. The launcher checks the service address at the start. The app checks the address too, because
 * its settings may change while it runs.
 */
export type Fallback = '1' | 'allowed' | undefined

export const fallbackOf = (environment: Readonly<Record<string, string | undefined>>): Fallback => {
  const value = environment.SLUICE_FALLBACK_ELECTRON
  return value === undefined || value === '' ? undefined : value === 'allowed' ? 'allowed' : '1'
}

/**
 * Why the app must not use this address, or null. A third party repackaged the fallback Electron, so it gets no real
 * key and no real recording.
 */
export const refusalOf =
  (fallback: Fallback) =>
  (address: string | undefined): string | null =>
    fallback !== '1' || address === undefined || isLoopback(new URL(address).hostname)
      ? null
      : 'Sluice runs on a fallback Electron, which may connect only to a service on this PC. Start it with the official Electron, or with --allow-fallback-electron.'
