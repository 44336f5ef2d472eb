import type { Inspection } from '../../shared/status/inspection.ts'

/** Messages to the thread that inspects. It reads the recording through the server, which has the storage. */
export type ToThread =
  | {
      readonly kind: 'inspect'
      readonly name: string
      readonly size: number
      readonly timeMs: number
      /** The first bytes of the recording. They are often all that an inspector reads. */
      readonly head: Uint8Array
    }
  | { readonly kind: 'bytes'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'unreadable'; readonly id: number }

export type FromThread =
  | { readonly kind: 'read'; readonly id: number; readonly offset: number; readonly length: number }
  | { readonly kind: 'inspected'; readonly inspection: Inspection }
  /** The server could not read the recording. The message needs no reason, because the server knows it. */
  | { readonly kind: 'failed' }
