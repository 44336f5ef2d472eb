import { contextBridge, type IpcRendererEvent, ipcRenderer, webUtils } from 'electron'
import { channelOf, localeIn, PANEL_ARGUMENT } from '../shared/ipc/channel.ts'
import type { Bridge, CallName, EventName } from '../shared/ipc/ipc.ts'
import { panelMayCall } from '../shared/ipc/panel-calls.ts'

/**
 * The build inserts these names. Importing `ipc.ts` here instead would load its schemas and delay every first paint.
 */
declare const CALL_NAMES: readonly CallName[]
declare const EVENT_NAMES: readonly EventName[]

const isPanel = process.argv.includes(PANEL_ARGUMENT)
const offeredNames = CALL_NAMES.filter((name) => !isPanel || panelMayCall(name))

/** Exposes only functions: the page never sees `ipcRenderer`, an event object or a channel name. */
const call = Object.fromEntries(
  offeredNames.map((name) => [name, (args?: unknown) => ipcRenderer.invoke(channelOf(name), args)]),
)

const on = Object.fromEntries(
  EVENT_NAMES.map((name) => [
    name,
    (listener: (value: unknown) => void) => {
      const relay = (_event: IpcRendererEvent, value: unknown) => listener(value)
      ipcRenderer.on(channelOf(name), relay)
      return () => ipcRenderer.off(channelOf(name), relay)
    },
  ]),
)

/** Empty for a file that the page created, because it has no path. */
const pathOf = (file: unknown): string => {
  try {
    return webUtils.getPathForFile(file as File)
  } catch {
    return ''
  }
}

contextBridge.exposeInMainWorld('sluice', {
  call,
  on,
  pathOf,
  locale: localeIn(process.argv),
} as unknown as Bridge)
