import { _electron } from 'playwright-core'
import type { App, Launch } from './app.ts'

/** The real Electron, controlled through its main process. */
export const launchElectron = async ({ program, args, cwd, env, timeoutMs }: Launch): Promise<App> => {
  const electron = await _electron.launch({
    executablePath: program,
    args: [...args],
    cwd,
    env,
    timeout: timeoutMs,
  })
  return {
    child: electron.process(),
    page: await electron.firstWindow({ timeout: timeoutMs }),
    quit: () => electron.close(),
    inMain: electron.evaluate.bind(electron),
    isShown: () =>
      electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible() ?? false),
    // A window that is closed before it is shown would still appear later.
    closeWindow: () =>
      electron.evaluate(async ({ BrowserWindow }) => {
        const window = BrowserWindow.getAllWindows()[0]
        if (window?.isVisible() === false)
          await new Promise<void>((resolve) => window.once('show', () => resolve()))
        window?.close()
      }),
    pidOf: (name) =>
      electron.evaluate(
        ({ app }, processName) =>
          app.getAppMetrics().find((metric) => metric.name === processName)?.pid ?? null,
        name,
      ),
    watchProgress: async () => {
      const modesHandle = await electron.evaluateHandle(({ BrowserWindow }) => {
        const [window] = BrowserWindow.getAllWindows()
        const modes: string[] = []
        const draw = window?.setProgressBar.bind(window)
        if (window !== undefined)
          window.setProgressBar = (done, options) => {
            const mode = done < 0 ? 'none' : (options?.mode ?? 'normal')
            if (modes.at(-1) !== mode) modes.push(mode)
            draw?.(done, options)
          }
        return modes
      })
      return () => modesHandle.evaluate((modes) => modes)
    },
    endSession: (how) =>
      electron.evaluate(({ BrowserWindow, powerMonitor }, event) => {
        if (event === 'shutdown')
          (powerMonitor as NodeJS.EventEmitter).emit(event, { preventDefault: () => {} })
        else (BrowserWindow.getAllWindows()[0] as NodeJS.EventEmitter).emit(event, { reasons: ['logoff'] })
      }, how),
    wake: () => electron.evaluate(({ powerMonitor }) => void powerMonitor.emit('resume')),
    // A test cannot operate the system's own dialog, so these functions replace the dialog with the user's choice.
    saveDialogsTo: (file) =>
      electron.evaluate(({ dialog }, filePath) => {
        dialog.showSaveDialog = async () => ({ canceled: false, filePath })
      }, file),
    openDialogsWith: (file) =>
      electron.evaluate(({ dialog }, picked) => {
        dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [picked] })
      }, file),
    answerQuestions: async (agree) => {
      const questionsHandle = await electron.evaluateHandle(({ dialog }, response) => {
        const questions: string[] = []
        dialog.showMessageBox = async (...args: unknown[]) => {
          const { message, detail = '' } = args.at(-1) as { message: string; detail?: string }
          questions.push(`${message}\n${detail}`)
          return { response, checkboxChecked: false }
        }
        return questions
      }, Number(agree))
      return () => questionsHandle.evaluate((questions) => questions)
    },
  }
}
