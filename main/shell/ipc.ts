import { type BrowserWindow, ipcMain, type WebFrameMain } from 'electron'
import {
  type CallAnswer,
  type CallName,
  type CallResult,
  type CheckedArgs,
  calls,
  channelOf,
  type EventName,
  type Events,
  type ShellCallName,
} from '../../shared/ipc.ts'
import type { Supervisor } from '../supervisor.ts'

export type ShellHandlers = {
  readonly [N in ShellCallName]: (args: CheckedArgs<N>) => CallResult<N> | Promise<CallResult<N>>
}

/** Thrown by a handler for something the person can act on; anything else is a bug and is only logged. */
export class Refused extends Error {}

/** Only our own page in our own top frame may call; a frame that something embedded is a stranger. */
export const isOwnFrame = (frame: Pick<WebFrameMain, 'url' | 'parent'> | null, pageUrl: string): boolean =>
  frame !== null && frame.parent === null && new URL(frame.url).origin === new URL(pageUrl).origin

const refuse = (
  kind: 'bad-arguments' | 'foreign-sender' | 'refused' | 'failed',
  message: string,
): CallAnswer<never> => ({ ok: false, error: { kind, message } })

/** Binds every entry of the call table: sender checked, arguments checked, answer typed. */
export const bindCalls = (options: {
  readonly pageUrl: string
  readonly handlers: ShellHandlers
  readonly supervisor: Pick<Supervisor, 'call'>
  readonly log: (message: string) => void
}): void => {
  const { pageUrl, handlers, supervisor, log } = options

  const answer = async (name: CallName, args: unknown): Promise<CallAnswer<unknown>> => {
    const checked = calls[name].args.safeParse(args)
    if (!checked.success)
      return refuse(
        'bad-arguments',
        `${name}: ${checked.error.issues.map((issue) => issue.message).join('; ')}`,
      )
    if (calls[name].by === 'agent') return supervisor.call(name as never, checked.data)
    const handler = handlers[name as ShellCallName] as (value: unknown) => unknown
    try {
      return { ok: true, value: await handler(checked.data) }
    } catch (error) {
      if (error instanceof Refused) return refuse('refused', error.message)
      log(`${name} failed: ${error instanceof Error ? error.stack : String(error)}`)
      return refuse('failed', 'Something went wrong inside Sluice. The log has the details.')
    }
  }

  for (const name of Object.keys(calls) as CallName[])
    ipcMain.handle(channelOf(name), (event, args: unknown) => {
      if (!isOwnFrame(event.senderFrame, pageUrl)) {
        log(`refused ${name} from a foreign frame`)
        return refuse('foreign-sender', 'This page may not talk to Sluice.')
      }
      return answer(name, args)
    })
}

export const pushEvent = <E extends EventName>(
  window: BrowserWindow | null,
  name: E,
  value: Events[E],
): void => {
  if (window !== null && !window.isDestroyed()) window.webContents.send(channelOf(name), value)
}
