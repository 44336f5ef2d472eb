import type { Task as UserTask } from 'electron'
import { type Task, taskWords } from './task.ts'

/** Quotes one argument so that Windows' `CommandLineToArgvW` restores it exactly. */
const quoteArgument = (argument: string): string =>
  argument !== '' && !/[\s"]/.test(argument)
    ? argument
    : // Backslashes need escaping only before a quotation mark, including the closing one.
      `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`

/**
 * The tasks in the menu of Windows' taskbar button. Each task starts Sluice with `--task`. If Sluice already runs, this
 * second instance passes the task to the first.
 */
export const jumpList = (command: readonly string[], tasks: readonly Task[]): UserTask[] => {
  const [program = '', ...args] = command
  return tasks.map((task) => ({
    program,
    arguments: [...args, '--task', task].map(quoteArgument).join(' '),
    title: taskWords[task],
    description: taskWords[task],
    iconPath: program,
    iconIndex: 0,
  }))
}
