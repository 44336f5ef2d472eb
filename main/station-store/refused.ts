/**
 * The handler of a call throws this for an error that the user can act on, and the window shows its message. Any other
 * error is a bug: it is logged, and the window shows a general sentence.
 */
export class Refused extends Error {}
