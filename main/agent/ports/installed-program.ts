/** The program that a package manager has installed, which may be newer than the running one. */
export type InstalledProgram = {
  /** The version that a restart would start, or null if that is the running version. */
  readonly replacement: string | null
}
