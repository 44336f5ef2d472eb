export type Setup = {
  readonly baseUrl: string
  /** Held only until it is stored; empty again from then on. */
  readonly apiKey: string
  readonly acceptUnprotected: boolean
  readonly acceptTest: boolean
  /** The built-in sandbox brings its own key, which the page never sees. */
  readonly sandbox: boolean
  readonly path: string
  readonly ignoreExisting: boolean
  readonly site: string
  readonly device: string
  readonly startAtLogin: boolean
}

export const emptySetup: Setup = {
  baseUrl: '',
  apiKey: '',
  acceptUnprotected: false,
  acceptTest: false,
  sandbox: false,
  path: '',
  ignoreExisting: false,
  site: '',
  device: '',
  // A station that nobody starts after a power cut uploads nothing.
  startAtLogin: true,
}

export type StepProps = {
  readonly setup: Setup
  readonly change: (part: Partial<Setup>) => void
  readonly onNext: () => void
  readonly onBack: () => void
}
