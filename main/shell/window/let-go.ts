/** Long enough for a look now and then, short against a night. */
const HIDDEN_FOR_MS = 10 * 60_000

/** Ten minutes; a test of the source tree need not wait for them. */
export const letGoAfterMs = (packaged: boolean, env: NodeJS.ProcessEnv): number => {
  const asked = packaged ? Number.NaN : Number(env.SLUICE_LET_GO_MS)
  return asked > 0 ? asked : HIDDEN_FOR_MS
}
