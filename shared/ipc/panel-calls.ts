import type { CallName } from './ipc.ts'

/**
 * All that the panel at the tray icon may ask for. Its preload offers only these, and the main process refuses every other
 * call from it. Not in ipc.ts: the preload must not load the schemas.
 */
const panelCalls: readonly CallName[] = ['getStatus', 'getAgentHealth', 'pause', 'resume', 'openWindow']

export const panelMayCall = (name: CallName): boolean => panelCalls.includes(name)
