export type Setup = {
  readonly baseUrl: string
  /** The typed key. Empty again after the key and the settings are stored. */
  readonly apiKey: string
  readonly acceptUnprotected: boolean
  readonly acceptTestKey: boolean
  /** False if the service could not be reached, or if the key was stored earlier. */
  readonly isKeyTested: boolean
  /** The built-in sandbox has its own key, which the page never sees. */
  readonly usesSandbox: boolean
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
  acceptTestKey: false,
  isKeyTested: false,
  usesSandbox: false,
  path: '',
  ignoreExisting: false,
  site: '',
  device: '',
  // Without this, nothing would upload after a power cut until someone starts Sluice.
  startAtLogin: true,
}

export type StepProps = {
  readonly setup: Setup
  readonly change: (part: Partial<Setup>) => void
  readonly onNext: () => void
  readonly onBack: () => void
}
