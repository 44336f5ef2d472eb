import type { Steps } from './steps.ts'

/**
 * Names in exclusive use by one request or worker, over all instances. A claim ends with its process. It only avoids double
 * work: transactions check again what they rely on.
 */
export type Claims = {
  /** Null if the name is taken. Otherwise, call the result to release it. */
  take(name: string): Promise<(() => Promise<void>) | null>
  isTaken(name: string): Steps<boolean>
}

/** For one process. */
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
