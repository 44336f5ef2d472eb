import { createRequire } from 'node:module'
import type koffi from 'koffi'

export type NativeLibrary = {
  readonly func: (prototype: string) => (...args: readonly unknown[]) => unknown
}

/** Loads koffi at the first use, not at import: it is needed only while a recorder writes. */
export const loadLibrary = (library: string): NativeLibrary =>
  (createRequire(import.meta.url)('koffi') as typeof koffi).load(library) as NativeLibrary
