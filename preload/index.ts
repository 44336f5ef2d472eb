import { contextBridge, type IpcRendererEvent, ipcRenderer, webUtils } from 'electron'
import { type Bridge, type CallName, calls, channelOf, eventNames } from '../shared/ipc.ts'

/** Functions only: the page never sees `ipcRenderer`, an event object or a channel name. */
const call = Object.fromEntries(
  (Object.keys(calls) as CallName[]).map((name) => [
    name,
    (args?: unknown) => ipcRenderer.invoke(channelOf(name), args),
  ]),
)

const on = Object.fromEntries(
  eventNames.map((name) => [
    name,
    (listener: (value: unknown) => void) => {
      const relay = (_event: IpcRendererEvent, value: unknown) => listener(value)
      ipcRenderer.on(channelOf(name), relay)
      return () => ipcRenderer.off(channelOf(name), relay)
    },
  ]),
)

/** Of nothing but a file that the person dropped: one that a page made up has no path. */
const pathOf = (dropped: unknown): string => {
  try {
    return webUtils.getPathForFile(dropped as File)
  } catch {
    return ''
  }
}

contextBridge.exposeInMainWorld('sluice', { call, on, pathOf } as unknown as Bridge)
