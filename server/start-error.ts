/** The server, the sandbox or a command cannot run. The terminal shows only the message, which names the reason. */
export class StartError extends Error {}
