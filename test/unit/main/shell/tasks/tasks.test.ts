import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../../../../main/shell/system/command-line.ts'
import { jumpList } from '../../../../../main/shell/tasks/jump-list.ts'
import { offeredTasks, requestedTask, tasks, taskWords } from '../../../../../main/shell/tasks/task.ts'

/** Splits a command line like `CommandLineToArgvW`: a backslash is special only before a quotation mark. */
const splitArguments = (line: string): readonly string[] => {
  const parts: string[] = []
  let current: string | null = null
  let inQuotes = false
  for (let at = 0; at < line.length; at += 1) {
    const backslashes = /^\\*/.exec(line.slice(at))?.[0].length ?? 0
    const next = line[at + backslashes]
    if (backslashes > 0) {
      current ??= ''
      current += '\\'.repeat(next === '"' ? Math.floor(backslashes / 2) : backslashes)
      if (next === '"' && backslashes % 2 === 1) {
        current += '"'
        at += 1
      }
      at += backslashes - 1
    } else if (line[at] === '"') {
      current ??= ''
      inQuotes = !inQuotes
    } else if (line[at] === ' ' && !inQuotes) {
      if (current !== null) parts.push(current)
      current = null
    } else current = (current ?? '') + line[at]
  }
  return current === null ? parts : [...parts, current]
}

describe('the tasks of the icon', () => {
  it('are only the tasks that are possible now', () => {
    expect(offeredTasks(false)).toEqual(['open', 'pause', 'logs'])
    expect(offeredTasks(true)).toEqual(['open', 'resume', 'logs'])
    expect(offeredTasks(null)).toEqual(['open', 'logs'])
  })

  it.each(['D:\\Sluice data\\', 'C:\\plain', 'a "b" \\"c', '', '\\\\nas\\share\\\\'])(
    'get the data folder <%s> unchanged in their arguments on Windows',
    (data) => {
      const program = 'C:\\Program Files\\Sluice\\Sluice.exe'
      const list = jumpList([program, '--data', data], ['pause'])
      expect(list).toMatchObject([{ program, title: 'Pause uploads', iconPath: program }])
      const args = splitArguments(list[0]?.arguments ?? '')
      expect(args).toEqual(['--data', data, '--task', 'pause'])
      expect(parseCommandLine(args, true)).toMatchObject({ data, task: 'pause' })
    },
  )

  it('are all in the desktop file on Linux, with the same words', () => {
    const desktop = readFileSync(
      path.join(import.meta.dirname, '../../../../../assets/linux/sluice.desktop'),
      'utf8',
    )
    expect(desktop).toContain(`Actions=${tasks.join(';')};\n`)
    for (const task of tasks) {
      expect(desktop).toContain(
        `[Desktop Action ${task}]\nName=${taskWords[task]}\nExec=/opt/Sluice/sluice --task ${task}\n`,
      )
      expect(parseCommandLine(['--task', task], true).task).toBe(task)
    }
  })
})

describe('a requested task', () => {
  it('is refused at the start if Sluice does not know it, with a message that names `--help`', () => {
    expect(() => parseCommandLine(['--task', 'format'], true)).toThrow(/^Unknown task 'format'\..*--help/)
    expect(parseCommandLine([], true).task).toBeNull()
  })
  it.each([
    [{ task: 'pause' }, 'pause'],
    [{ task: null }, null],
    [{ task: 'quit' }, null],
    [{ task: ['pause'] }, null],
    ['pause', null],
    [undefined, null],
    [null, null],
  ])('is read from the message that a second start of the app sends: %j', (message, expected) => {
    expect(requestedTask(message)).toBe(expected)
  })
})
