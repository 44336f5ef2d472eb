import { createRequire } from 'node:module'
import type koffi from 'koffi'

export type NativeLibrary = {
  readonly func: (prototype: string) => (...args: readonly unknown[]) => unknown
}

/** Loads koffi only at the first use: Sluice needs it only while a recorder writes. */
export const loadLibrary = (library: string): NativeLibrary =>
  (createRequire(import.meta.url)('koffi') as typeof koffi).load(library) as NativeLibrary
