/** Messages between the main process and the process that the embedded sandbox runs in. */
export type ToSandbox = { readonly kind: 'shutdown' }

export type FromSandbox =
  /** Its key is a test key, good for this address only; it stays in memory all the same. */
  | { readonly kind: 'running'; readonly baseUrl: string; readonly key: string }
  | { readonly kind: 'cannot-run'; readonly message: string }
