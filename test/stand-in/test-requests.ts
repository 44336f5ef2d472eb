/** A request of a test to the main process. The test drives the page directly, without such requests. */
export type TestRequest =
  | { readonly what: 'is-shown' }
  | { readonly what: 'close-window' }
  | { readonly what: 'pid-of'; readonly name: string }
  | { readonly what: 'save-dialogs-to' | 'open-dialogs-with'; readonly file: string }
  | { readonly what: 'answer-questions'; readonly agree: boolean }
  | { readonly what: 'questions' }
  | { readonly what: 'wake' }
  | { readonly what: 'end-session'; readonly how: 'session-end' | 'shutdown' }
  | { readonly what: 'progress-from-now' | 'progress' }
  | { readonly what: 'quit' }

export type NumberedRequest = TestRequest & { readonly id: number }

/** A message of the main process to the test. */
export type StandInMessage =
  | { readonly kind: 'window'; readonly debugUrl: string }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
