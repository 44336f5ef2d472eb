import { registerHooks } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { NumberedRequest } from './test-requests.ts'

/** Starts the app's own main process with the stand-in instead of Electron. Takes the same arguments as Electron. */

const standIn = pathToFileURL(path.join(import.meta.dirname, 'electron.ts')).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: standIn, shortCircuit: true } : next(specifier, context),
})

process.argv.splice(1, 1)
Object.assign(process, { getSystemVersion: () => os.release() })

const { app, BrowserWindow, dialog, powerMonitor, utilityPids } = await import('./electron.ts')
process.once('SIGTERM', () => app.quit())
// Exit when the test that drives this process has ended.
process.on('disconnect', () => process.exit())
process.on('message', (request: NumberedRequest) =>
  process.send?.({ kind: 'answer', id: request.id, value: answer(request) }),
)

const answer = (request: NumberedRequest): unknown => {
  const [window] = BrowserWindow.all
  switch (request.what) {
    case 'is-shown':
      return window?.isVisible() ?? false
    case 'close-window':
      return window?.close()
    case 'pid-of':
      return utilityPids.get(request.name) ?? null
    case 'save-dialogs-to':
      dialog.showSaveDialog = async () => ({ canceled: false, filePath: request.file })
      return null
    case 'open-dialogs-with':
      dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [request.file] })
      return null
    case 'answer-questions':
      dialog.answer = Number(request.agree)
      dialog.questions.length = 0
      return null
    case 'questions':
      return dialog.questions
    case 'wake':
      return powerMonitor.emit('resume')
    case 'end-session':
      if (request.how === 'shutdown') return powerMonitor.emit('shutdown', { preventDefault: () => {} })
      return window?.emit('session-end')
    case 'progress-from-now':
      return window?.progress.splice(0).length
    case 'progress':
      return window?.progress
    case 'quit':
      return app.quit()
  }
}

await import(pathToFileURL(path.join(app.getAppPath(), 'out/main/index.js')).href)
