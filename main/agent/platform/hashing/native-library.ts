import { createRequire } from 'node:module'
import type koffi from 'koffi'

export type NativeLibrary = {
  readonly func: (prototype: string) => (...args: readonly unknown[]) => unknown
}

/** Loaded at the first use, not at import: most files are hashed while no recorder writes. */
export const loadLibrary = (library: string): NativeLibrary =>
  (createRequire(import.meta.url)('koffi') as typeof koffi).load(library) as NativeLibrary
