import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { chromium } from 'playwright-core'
import type { App, Launch } from '../e2e/app.ts'
import type { Question, Told } from './test-requests.ts'

export const standInProgram = path.join(import.meta.dirname, 'main.ts')

/** Starts the app's own main process, agent and page with a stand-in for Electron between them. */
export const launchStandIn = async ({ args, cwd, env, timeoutMs }: Launch): Promise<App> => {
  // The stand-in runs on the Node of the tests. If that is Electron's Node, it needs this variable.
  const { ELECTRON_RUN_AS_NODE = '' } = process.env
  const child = fork(standInProgram, [...args], { cwd, env: { ...env, ELECTRON_RUN_AS_NODE } })
  const drivenAt = await windowOf(child)
  const browser = await chromium.connectOverCDP(drivenAt, { timeout: timeoutMs })
  const page = browser.contexts()[0]?.pages()[0]
  if (page === undefined) throw new Error('the window has no page')
  const ask = asker(child)
  return {
    child,
    page,
    quit: async () => {
      const ended = once(child, 'exit')
      await ask({ what: 'quit' })
      await ended
    },
    inMain: () => Promise.reject(new Error('there is no main process of Electron here')),
    isShown: () => ask({ what: 'is-shown' }) as Promise<boolean>,
    closeWindow: async () => void (await ask({ what: 'close-window' })),
    pidOf: (name) => ask({ what: 'pid-of', name }) as Promise<number | null>,
    watchProgress: async () => {
      await ask({ what: 'progress-from-now' })
      return () => ask({ what: 'progress' }) as Promise<readonly string[]>
    },
    endSession: async (how) => void (await ask({ what: 'end-session', how })),
    wake: async () => void (await ask({ what: 'wake' })),
    saveDialogsTo: async (file) => void (await ask({ what: 'save-dialogs-to', file })),
    openDialogsWith: async (file) => void (await ask({ what: 'open-dialogs-with', file })),
    answerQuestions: async (agree) => {
      await ask({ what: 'answer-questions', agree })
      return () => ask({ what: 'questions' }) as Promise<readonly string[]>
    },
  }
}

const windowOf = async (child: ChildProcess): Promise<string> => {
  const told = once(child, 'message') as Promise<[Told]>
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the app ended with ${code} before it opened a window`)
  })
  const [first] = await Promise.race([told, ended])
  ended.catch(() => {})
  if (first.kind !== 'window') throw new Error('the app answered before the request')
  return first.drivenAt
}

const asker = (child: ChildProcess) => {
  let asked = 0
  const waiting = new Map<number, (value: unknown) => void>()
  child.on('message', (told: Told) => {
    if (told.kind === 'answer') waiting.get(told.id)?.(told.value)
  })
  return (question: Question): Promise<unknown> =>
    new Promise((resolve) => {
      const id = ++asked
      waiting.set(id, resolve)
      child.send({ ...question, id })
    })
}
