import type { Task as UserTask } from 'electron'
import { type Task, taskWords } from './task.ts'

/** One argument of a Windows command line, so that CommandLineToArgvW takes it apart as it was. */
const quoted = (argument: string): string =>
  argument !== '' && !/[\s"]/.test(argument)
    ? argument
    : // Backslashes count only before a quotation mark, also before the one that ends the argument.
      `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`

/** The tasks in Windows' menu of the taskbar button: each starts the app again, which tells the one that runs. */
export const jumpList = (command: readonly string[], offered: readonly Task[]): UserTask[] => {
  const [program = '', ...args] = command
  return offered.map((task) => ({
    program,
    arguments: [...args, '--task', task].map(quoted).join(' '),
    title: taskWords[task],
    description: taskWords[task],
    iconPath: program,
    iconIndex: 0,
  }))
}
