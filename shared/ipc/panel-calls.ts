import type { CallName } from './ipc.ts'

/**
 * The calls of the panel at the tray icon. The panel's preload offers only these calls, and the main process refuses
 * every other call of the panel. This file is separate from `ipc.ts`, because the preload must not load the schemas.
 */
const panelCalls: readonly CallName[] = ['getStatus', 'getAgentHealth', 'pause', 'resume', 'openWindow']

export const panelMayCall = (name: CallName): boolean => panelCalls.includes(name)
