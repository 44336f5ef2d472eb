import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

const folder = path.join(import.meta.dirname, '../../../.github/workflows')
const workflows = readdirSync(folder).map((name) => ({
  name,
  text: readFileSync(path.join(folder, name), 'utf8').replaceAll('\r\n', '\n'),
}))

/** The steps of a workflow's only job, each on one line. */
const stepsOf = (text: string): string[] =>
  (text.split(/^ {4}steps:$/m)[1] ?? '')
    .split(/^ {6}- /m)
    .slice(1)
    .map((step) => step.replace(/#.*$/gm, '').replaceAll(/\s+/g, ' ').trim())

const commandOf = (step: string): string | null =>
  /\brun: (?:>- )?(.*?)(?: continue-on-error: true)?$/.exec(step)?.[1] ?? null

const workflow = (name: string): string => workflows.find((each) => each.name === name)?.text ?? ''

describe.each(workflows)('$name', ({ text }) => {
  const steps = stepsOf(text)

  test('uses the default shell, and no step chains commands', () => {
    const commands = steps.flatMap((step) => commandOf(step) ?? [])
    expect(commands.length).toBeGreaterThan(0)
    expect(text).not.toMatch(/\bshell:/)
    for (const line of commands) expect(line, line).toMatch(/^[\w./=@: -]+$/)
  })

  test('runs only npm commands, except in the set-up of Linux', () => {
    const commonSteps = steps.filter((step) => !step.startsWith("if: runner.os == 'Linux'"))
    for (const line of commonSteps.flatMap((step) => commandOf(step) ?? []))
      expect(line, line).toMatch(/^npm (ci|test( -- long)?|run (-s )?[\w:-]+)$/)
    expect(steps).toContain('run: npm ci')
  })
})

test('every change is tested on Windows, macOS and Linux, on x64 and arm64', () => {
  const systems = /^ {8}os: \[(.*)\]$/m.exec(workflow('ci.yml'))?.[1]?.split(', ') ?? []
  expect(systems).toEqual(
    expect.arrayContaining(['windows-latest', 'macos-latest', 'ubuntu-latest', 'ubuntu-24.04-arm']),
  )
  expect(stepsOf(workflow('ci.yml'))).toContain('run: npm test')
})

test('every change runs the long tests once', () => {
  const longTestSteps = stepsOf(workflow('ci.yml')).filter((step) => commandOf(step) === 'npm test -- long')
  expect(longTestSteps).toEqual([
    "if: matrix.os == 'ubuntu-latest' && matrix.node == 24 run: npm test -- long",
  ])
})

test('the soak runs every night', () => {
  expect(workflow('nightly.yml')).toMatch(/^ {4}- cron: '\d+ \d+ \* \* \*'$/m)
  expect(stepsOf(workflow('nightly.yml'))).toContain('run: npm run soak')
})
