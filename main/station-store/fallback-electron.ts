import { isLoopback } from '../../shared/settings/loopback.ts'

/**
 * If the app runs on the pinned fallback Electron, the launcher sets `SLUICE_FALLBACK_ELECTRON` to `1`. With
 * `--allow-fallback-electron`, the launcher sets `allowed` instead, and the app may use any service. The launcher
 * checks the service address at the start. The app checks the address too, because its settings may change while it
 * runs.
 */
export type Fallback = '1' | 'allowed' | undefined

export const fallbackOf = (environment: Readonly<Record<string, string | undefined>>): Fallback => {
  const value = environment.SLUICE_FALLBACK_ELECTRON
  return value === undefined || value === '' ? undefined : value === 'allowed' ? 'allowed' : '1'
}

/**
 * Why the app must not use this address, or null. A third party repackaged the fallback Electron. So it gets no real
 * key and no real recording, unless the user allows that.
 */
export const refusalOf =
  (fallback: Fallback) =>
  (address: string | undefined): string | null =>
    fallback !== '1' || address === undefined || isLoopback(new URL(address).hostname)
      ? null
      : 'Sluice runs on a fallback Electron, which may connect only to a service on this PC. Start it with the official Electron, or with --allow-fallback-electron.'
