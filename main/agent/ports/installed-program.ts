/** The program that a package manager has installed, which may be newer than the running one. */
export type InstalledProgram = {
  /** The version that a restart would start. Null if that is the running version, or if Sluice cannot read it. */
  readonly replacement: string | null
}
