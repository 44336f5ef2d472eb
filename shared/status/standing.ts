/** The state of a recording in the user's words. Each recording has exactly one standing, so counts always add up. */
export const standings = [
  'recording',
  'waiting',
  'uploading',
  'at-service',
  'safe',
  'needs-attention',
  'dismissed',
  'elsewhere',
] as const
export type Standing = (typeof standings)[number]
