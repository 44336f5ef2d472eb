/** Behaviour of the service apart from the faults of single answers. */
export type Knobs = {
  readonly apiKey: string
  keyRevoked: boolean
  processingMs: number
  /** Completions outlast the gateway: it answers 504, and the service continues. */
  slowComplete: {
    readonly workMs: number
    readonly gatewayMs: number
    readonly reads: 'uploading' | 'processing'
  } | null
}
