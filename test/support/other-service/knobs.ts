/** How the service behaves where that is not a fault of one answer. */
export type Knobs = {
  readonly apiKey: string
  keyRevoked: boolean
  processingMs: number
  /** Completions outlast the gateway: it says 504, the service works on. */
  slowComplete: {
    readonly workMs: number
    readonly gatewayMs: number
    readonly reads: 'uploading' | 'processing'
  } | null
}
