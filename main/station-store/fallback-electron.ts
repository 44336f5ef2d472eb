import { isLoopback } from '../../shared/settings/loopback.ts'

/**
 * The launcher sets `SLUICE_FALLBACK_ELECTRON` to `1` if the app runs on the pinned fallback Electron. With
 * `--allow-fallback-electron`, it sets `allowed` instead, and the app may use any service. The launcher checks the
 * service address only at the start, so the app checks later changes.
 */
export type Fallback = '1' | 'allowed' | undefined

export const fallbackOf = (environment: Readonly<Record<string, string | undefined>>): Fallback => {
  const value = environment.SLUICE_FALLBACK_ELECTRON
  return value === undefined || value === '' ? undefined : value === 'allowed' ? 'allowed' : '1'
}

/**
 * Why the app must not use this address, or null. A third party repackaged the fallback Electron, so it gets real keys
 * and recordings only with `--allow-fallback-electron`.
 */
export const refusalOf =
  (fallback: Fallback) =>
  (address: string | undefined): string | null =>
    fallback !== '1' || address === undefined || isLoopback(new URL(address).hostname)
      ? null
      : 'Sluice runs on a fallback Electron, which may connect only to a service on this PC. Start it with the official Electron, or with --allow-fallback-electron.'
