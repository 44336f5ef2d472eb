/** Says in one sentence why the sandbox cannot start. */
export class SandboxStartError extends Error {}
