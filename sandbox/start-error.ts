/** Why the sandbox cannot run, in one sentence for whoever started it. */
export class SandboxStartError extends Error {}
