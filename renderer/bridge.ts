import type { Bridge } from '../shared/ipc/ipc.ts'

declare global {
  interface Window {
    readonly sluice: Bridge
  }
}

export const bridge = window.sluice
