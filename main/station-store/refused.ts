/** A handler throws this for an error that the user can act on. Any other error is a bug and is only logged. */
export class Refused extends Error {}
