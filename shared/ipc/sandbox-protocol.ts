/** Messages from the main process to the process of the embedded sandbox. */
export type ToSandbox = { readonly kind: 'shutdown' }

export type FromSandbox =
  /** A test key that works only at this address. Main still keeps it in memory only. */
  | { readonly kind: 'running'; readonly baseUrl: string; readonly key: string }
  | { readonly kind: 'cannot-run'; readonly message: string }
