import type { Steps } from './steps.ts'

/**
 * Each name is used by at most one request or worker of all instances. A claim ends with its process. Claims only avoid
 * double work: every transaction still checks its own conditions.
 */
export type Claims = {
  /** Null if the name is taken. Otherwise returns a function that releases it. */
  take(name: string): Promise<(() => Promise<void>) | null>
  isTaken(name: string): Steps<boolean>
}

/** Claims within one process. */
export function memoryClaims(): Claims {
  const taken = new Set<string>()
  return {
    async take(name) {
      if (taken.has(name)) return null
      taken.add(name)
      return async () => void taken.delete(name)
    },
    // biome-ignore lint/correctness/useYield: memory needs no query
    *isTaken(name) {
      return taken.has(name)
    },
  }
}
