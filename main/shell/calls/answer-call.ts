import {
  type CallAnswer,
  type CallError,
  type CallName,
  type CallResult,
  type CheckedArgs,
  calls,
  type ShellCallName,
} from '../../../shared/ipc/ipc.ts'
import { panelMayCall } from '../../../shared/ipc/panel-calls.ts'
import { showLine } from '../../../shared/words/escape-text.ts'
import { Refused } from '../../station-store/refused.ts'
import type { AskUser, Question } from './native-question.ts'

export type ShellCalls = {
  readonly [N in ShellCallName]: (args: CheckedArgs<N>) => CallResult<N> | Promise<CallResult<N>>
}

/** The part of Electron's frame that `isOwnFrame` uses. */
export type CallingFrame = { readonly url: string; readonly parent: object | null }

type Parts = {
  readonly pageUrl: string
  readonly calls: ShellCalls
  /** Why this app must not send the key to a service address, or null. */
  readonly refusal: (address: string) => string | null
  readonly ask: AskUser
  readonly callAgent: (name: never, args: unknown) => Promise<CallAnswer<unknown>>
  readonly log: (message: string) => void
}

/** Only our own page in the top frame may call. */
export const isOwnFrame = (frame: CallingFrame | null, pageUrl: string): boolean => {
  if (frame === null || frame.parent !== null || !URL.canParse(frame.url)) return false
  // Compare scheme and host: the URL class returns the origin "null" for every custom scheme.
  const ownUrl = new URL(pageUrl)
  const callingUrl = new URL(frame.url)
  return callingUrl.protocol === ownUrl.protocol && callingUrl.host === ownUrl.host
}

const refuse = (kind: CallError['kind'], message: string): CallAnswer<never> => ({
  ok: false,
  error: { kind, message },
})

/**
 * The user has typed `delete` in the page, but a compromised page could send this word itself. So the main process asks
 * the user too.
 */
const deletionQuestion = (id: string): Question => ({
  message: 'Delete this session at the service?',
  detail: `${showLine(id)}\n\nThe service also deletes the recording of this session. This cannot be undone.`,
  confirmLabel: 'Delete session',
})

/** Handles every call: checks the sender and the arguments, and returns an answer or a typed error. */
export const answerCall = async (
  parts: Parts,
  frame: CallingFrame | null,
  name: CallName,
  args: unknown,
  isPanel = false,
): Promise<CallAnswer<unknown>> => {
  const { pageUrl, calls: shellCalls, refusal, ask, callAgent, log } = parts
  if (!isOwnFrame(frame, pageUrl)) {
    log(`refused ${name} from a foreign frame`)
    return refuse('foreign-sender', 'This page may not call Sluice.')
  }
  if (isPanel && !panelMayCall(name)) {
    log(`refused ${name} from the panel`)
    return refuse('foreign-sender', 'The panel may not do this.')
  }
  const parsed = calls[name].args.safeParse(args)
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) =>
      `${issue.path.map(String).join('.')} ${issue.message}`.trim(),
    )
    return refuse('bad-arguments', `${name}: ${issues.join('; ')}`)
  }
  if (name === 'testKey') {
    const { baseUrl } = parsed.data as CheckedArgs<'testKey'>
    const addressRefusal = URL.canParse(baseUrl) ? refusal(baseUrl) : null
    if (addressRefusal !== null) return refuse('refused', addressRefusal)
  }
  if (name === 'deleteSession') {
    const { id } = parsed.data as CheckedArgs<'deleteSession'>
    if (!(await ask(deletionQuestion(id)))) return refuse('refused', 'Nothing was deleted.')
  }
  if (calls[name].by === 'agent') return callAgent(name as never, parsed.data)
  try {
    const call = shellCalls[name as ShellCallName] as (value: unknown) => unknown
    return { ok: true, value: await call(parsed.data) }
  } catch (error) {
    if (error instanceof Refused) return refuse('refused', error.message)
    log(`${name} failed: ${error instanceof Error ? error.stack : String(error)}`)
    return refuse('failed', 'Something went wrong inside Sluice. The log has the details.')
  }
}
