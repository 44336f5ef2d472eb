/** Behaviour of the service apart from the faults of single answers. */
export type ServiceBehaviour = {
  readonly apiKey: string
  isKeyRevoked: boolean
  processingMs: number
  /** If set, completions take longer than the gateway waits: the gateway answers 504, and the service continues. */
  slowComplete: {
    readonly workMs: number
    readonly gatewayMs: number
    /** The status that a GET returns during the completion. */
    readonly statusMeanwhile: 'uploading' | 'processing'
  } | null
}
