/** Says in one sentence why the server or the sandbox cannot start. */
export class StartError extends Error {}
