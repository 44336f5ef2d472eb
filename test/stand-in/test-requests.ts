/** A request of a test to the main process while the test drives the window. */
export type Question =
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

export type Asked = Question & { readonly id: number }

export type Told =
  | { readonly kind: 'window'; readonly drivenAt: string }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
