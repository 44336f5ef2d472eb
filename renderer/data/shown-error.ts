/** An error whose message is a sentence for the user. */
export class ShownError extends Error {}

/** Returns a sentence for the user. Logs any error that is not a `ShownError`, because it is a bug of this page. */
export const sentenceOf = (error: unknown): string => {
  if (error instanceof ShownError) return error.message
  console.error(error)
  return 'Something went wrong in this window. Try again.'
}
