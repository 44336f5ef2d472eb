import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { chromium } from 'playwright-core'
import type { App, Launch } from '../e2e/app.ts'
import type { StandInMessage, TestRequest } from './test-requests.ts'

export const standInProgram = path.join(import.meta.dirname, 'main.ts')

/** Starts the app's own main process, agent and page with a stand-in for Electron between them. */
export const launchStandIn = async ({ args, cwd, env, timeoutMs }: Launch): Promise<App> => {
  // The stand-in runs on the Node of the tests. If this is Electron's Node, the stand-in needs this variable.
  const { ELECTRON_RUN_AS_NODE = '' } = process.env
  const child = fork(standInProgram, [...args], { cwd, env: { ...env, ELECTRON_RUN_AS_NODE } })
  const debugUrl = await waitForWindow(child)
  const browser = await chromium.connectOverCDP(debugUrl, { timeout: timeoutMs })
  const page = browser.contexts()[0]?.pages()[0]
  if (page === undefined) throw new Error('the window has no page')
  const send = requestSender(child)
  return {
    child,
    page,
    quit: async () => {
      const ended = once(child, 'exit')
      await send({ what: 'quit' })
      await ended
    },
    inMain: () => Promise.reject(new Error('the stand-in has no main process of Electron')),
    isShown: () => send({ what: 'is-shown' }) as Promise<boolean>,
    closeWindow: async () => void (await send({ what: 'close-window' })),
    pidOf: (name) => send({ what: 'pid-of', name }) as Promise<number | null>,
    watchProgress: async () => {
      await send({ what: 'progress-from-now' })
      return () => send({ what: 'progress' }) as Promise<readonly string[]>
    },
    endSession: async (how) => void (await send({ what: 'end-session', how })),
    wake: async () => void (await send({ what: 'wake' })),
    saveDialogsTo: async (file) => void (await send({ what: 'save-dialogs-to', file })),
    openDialogsWith: async (file) => void (await send({ what: 'open-dialogs-with', file })),
    answerQuestions: async (agree) => {
      await send({ what: 'answer-questions', agree })
      return () => send({ what: 'questions' }) as Promise<readonly string[]>
    },
  }
}

/** Waits until the app has opened its window, and returns the address of Chromium's debugger. */
const waitForWindow = async (child: ChildProcess): Promise<string> => {
  const message = once(child, 'message') as Promise<[StandInMessage]>
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the app ended with ${code} before it opened a window`)
  })
  const [first] = await Promise.race([message, ended])
  ended.catch(() => {})
  if (first.kind !== 'window') throw new Error('the app answered a request before it opened a window')
  return first.debugUrl
}

const requestSender = (child: ChildProcess) => {
  let lastId = 0
  const waiting = new Map<number, (value: unknown) => void>()
  child.on('message', (message: StandInMessage) => {
    if (message.kind === 'answer') waiting.get(message.id)?.(message.value)
  })
  return (request: TestRequest): Promise<unknown> =>
    new Promise((resolve) => {
      const id = ++lastId
      waiting.set(id, resolve)
      child.send({ ...request, id })
    })
}
