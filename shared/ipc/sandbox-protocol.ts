/** Messages from the main process to the process of the embedded sandbox. */
export type ToSandbox = { readonly kind: 'shutdown' }

export type FromSandbox =
  /** `key`: a test key that works only at this address. Main keeps it only in memory. */
  | { readonly kind: 'running'; readonly baseUrl: string; readonly key: string }
  | { readonly kind: 'cannot-run'; readonly message: string }
