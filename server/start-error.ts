/** The server or the sandbox cannot start. The message is one sentence with the reason. */
export class StartError extends Error {}
