import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

const folder = path.join(import.meta.dirname, '../../.github/workflows')
const workflows = readdirSync(folder).map((name) => ({
  name,
  text: readFileSync(path.join(folder, name), 'utf8').replaceAll('\r\n', '\n'),
}))

/** From one dash to the next, on one line. */
const stepsOf = (text: string): string[] =>
  (text.split(/^ {4}steps:$/m)[1] ?? '')
    .split(/^ {6}- /m)
    .slice(1)
    .map((step) => step.replace(/#.*$/gm, '').replaceAll(/\s+/g, ' ').trim())

const commandOf = (step: string): string | null =>
  /\brun: (?:>- )?(.*?)(?: continue-on-error: true)?$/.exec(step)?.[1] ?? null

describe.each(workflows)('$name', ({ text }) => {
  const steps = stepsOf(text)

  test('runs on Windows, macOS and Linux', () => {
    const systems = /^ {8}os: \[(.*)\]$/m.exec(text)?.[1]?.split(', ') ?? []
    expect(systems).toEqual(
      expect.arrayContaining(['windows-latest', 'macos-latest', 'ubuntu-latest', 'ubuntu-24.04-arm']),
    )
  })

  test('names no shell, and asks none to put two commands together', () => {
    const commands = steps.flatMap((step) => commandOf(step) ?? [])
    expect(commands.length).toBeGreaterThan(0)
    expect(text).not.toMatch(/\bshell:/)
    for (const line of commands) expect(line, line).toMatch(/^[\w./=@: -]+$/)
  })

  test('runs the same on every system: npm, and by name what only Linux needs', () => {
    const everywhere = steps.filter((step) => !step.startsWith("if: runner.os == 'Linux'"))
    const commands = everywhere.flatMap((step) => commandOf(step) ?? [])
    for (const line of commands) expect(line, line).toMatch(/^npm (ci|test|run (-s )?[\w:-]+)$/)
    for (const line of ['npm ci', 'npm test'])
      expect(
        everywhere.find((step) => commandOf(step) === line),
        line,
      ).toMatch(/^run: /)
  })
})
