/** The installed program. After an update by a package manager, it is newer than the running one. */
export type InstalledProgram = {
  /** The version that a restart would start. Null if it is the running version or unknown. */
  readonly replacement: string | null
}
