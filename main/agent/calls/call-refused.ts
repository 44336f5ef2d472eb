/** An error that the user can act on. Its message is for users, and a caller receives it as a `refused` answer. */
export class CallRefusedError extends Error {}
