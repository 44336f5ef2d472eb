import type { CallName } from './ipc.ts'

/**
 * The calls of the panel at the tray icon. The main process refuses every other call of the panel. Not in `ipc.ts`,
 * because the preload must not load its schemas.
 */
const panelCalls: readonly CallName[] = ['getStatus', 'getAgentHealth', 'pause', 'resume', 'openWindow']

export const panelMayCall = (name: CallName): boolean => panelCalls.includes(name)
