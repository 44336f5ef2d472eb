import type { Steps } from './steps.ts'

/**
 * Across all instances, at most one request or worker holds a name. A claim ends at the latest with its process or its
 * connection to the database. Claims only avoid double work: every transaction still checks its own conditions.
 */
export type Claims = {
  /** Null if the name is taken. Otherwise returns a function that releases it. */
  take(name: string): Promise<(() => Promise<void>) | null>
  isTaken(name: string): Steps<boolean>
}

/** Claims within one process. */
export function memoryClaims(): Claims {
  const takenNames = new Set<string>()
  return {
    async take(name) {
      if (takenNames.has(name)) return null
      takenNames.add(name)
      return async () => void takenNames.delete(name)
    },
    // biome-ignore lint/correctness/useYield: memory needs no query
    *isTaken(name) {
      return takenNames.has(name)
    },
  }
}
