import { type BrowserWindow, ipcMain, type WebContents } from 'electron'
import { channelOf } from '../../../shared/ipc/channel.ts'
import { type CallName, calls, type EventName, type Events } from '../../../shared/ipc/ipc.ts'
import type { StationAgent } from '../../supervisor/station-agent.ts'
import { answerCall, type ShellCalls } from './answer-call.ts'
import type { AskUser } from './native-question.ts'

/** Binds every entry of the call table. The main process has no other IPC handlers. */
export const bindCalls = (options: {
  readonly pageUrl: string
  readonly calls: ShellCalls
  readonly refusal: (address: string) => string | null
  readonly ask: AskUser
  readonly agent: Pick<StationAgent, 'call'>
  readonly log: (message: string) => void
  readonly isPanel: (sender: WebContents) => boolean
}): void => {
  const { agent, isPanel, ...rest } = options
  const parts = { ...rest, callAgent: (name: never, args: unknown) => agent.call(name, args) }
  for (const name of Object.keys(calls) as CallName[])
    ipcMain.handle(channelOf(name), (event, args: unknown) =>
      answerCall(parts, event.senderFrame, name, args, isPanel(event.sender)),
    )
}

export const pushEvent = <E extends EventName>(
  window: BrowserWindow | null,
  name: E,
  value: Events[E],
): void => {
  // A page that has crashed, or that Sluice has unloaded, needs no events. The next page requests everything.
  if (window === null || window.isDestroyed() || window.webContents.isCrashed()) return
  window.webContents.send(channelOf(name), value)
}
