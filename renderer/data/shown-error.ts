/** An error whose message is a sentence for the user. */
export class ShownError extends Error {}

/**
 * Returns a sentence for the user. Any error other than a `ShownError` is a bug of this page, so the function also logs
 * the error.
 */
export const sentenceOf = (error: unknown): string => {
  if (error instanceof ShownError) return error.message
  console.error(error)
  return 'Something went wrong in this window. Try again.'
}
