import { isLoopback } from '../../../shared/settings/loopback.ts'

/**
 * The launcher tells the app with this variable that it runs on the pinned fallback Electron: `1`, or `allowed` by a
 * person. The app looks at it as well, since its settings may change while it runs.
 */
export type Fallback = '1' | 'allowed' | undefined

export const fallbackOf = (environment: Readonly<Record<string, string | undefined>>): Fallback => {
  const value = environment.SLUICE_FALLBACK_ELECTRON
  return value === undefined || value === '' ? undefined : value === 'allowed' ? 'allowed' : '1'
}

/** Why this address may not be used, or null: somebody's repackaging of Electron gets no real key and no real recording. */
export const refusalOf =
  (fallback: Fallback) =>
  (address: string | undefined): string | null =>
    fallback !== '1' || address === undefined || isLoopback(new URL(address).hostname)
      ? null
      : 'Sluice runs on a fallback Electron, which may work with a service on this PC only. Start it with the official Electron, or with --allow-fallback-electron.'
