import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const root = path.join(import.meta.dirname, '../../..')
const folder = path.join(root, '.github/workflows')

type Step = {
  readonly if?: string
  readonly run?: string
  readonly uses?: string
  readonly shell?: string
  readonly with?: Readonly<Record<string, unknown>>
}
type Job = {
  readonly steps: readonly Step[]
  readonly needs?: string | readonly string[]
  readonly permissions?: Readonly<Record<string, string>>
  readonly strategy?: { readonly matrix: Readonly<Record<string, unknown>> }
}
type Workflow = {
  readonly name: string
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const workflows = readdirSync(folder).map(
  (name) => parse(readFileSync(path.join(folder, name), 'utf8')) as Workflow,
)
const workflow = (name: string): Workflow => {
  const found = workflows.find((each) => each.name === name)
  if (found === undefined) throw new Error(`there is no workflow ${name}`)
  return found
}
const stepsOf = ({ jobs }: Workflow): readonly Step[] => Object.values(jobs).flatMap(({ steps }) => steps)
const commandsOf = (steps: readonly Step[]): readonly string[] => steps.flatMap(({ run }) => run ?? [])
const jobOf = (name: string, job: string): Job => {
  const found = workflow(name).jobs[job]
  if (found === undefined) throw new Error(`${name} has no job ${job}`)
  return found
}

const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}
/** Programs that GitHub has already installed on the runners that use them. */
const RUNNER_PROGRAMS = ['codesign', 'xcrun', 'gh']

/** The source of the script that an npm command starts. */
const sourceOf = (script: string): string => {
  const files = [...(scripts[script] ?? '').matchAll(/\S+\.(?:mjs|ts)\b/g)].map(([file]) => file)
  return files.map((file) => readFileSync(path.join(root, file), 'utf8')).join('\n')
}

describe.each(workflows)('the workflow $name', (each) => {
  const commands = commandsOf(stepsOf(each))

  test('uses the default shell, and no step chains commands', () => {
    expect(commands.length).toBeGreaterThan(0)
    for (const { shell } of stepsOf(each)) expect(shell).toBeUndefined()
    for (const line of commands)
      expect(line.replaceAll(/\$\{\{ matrix\.\w+ \}\}|"\$GITHUB_REF_NAME"/g, 'value'), line).toMatch(
        /^[\w./=@: *-]+$/,
      )
  })

  test('runs only npm and programs of the runner, except in steps for Linux', () => {
    for (const step of stepsOf(each)) {
      if (step.run === undefined || step.if === "runner.os == 'Linux'") continue
      expect([...RUNNER_PROGRAMS, 'npm'], step.run).toContain(step.run.split(' ')[0])
    }
  })

  test('runs npm commands that exist, with options and files that exist', () => {
    for (const line of commands.filter((command) => command.startsWith('npm '))) {
      const [, subcommand = '', ...words] = line.split(' ')
      const script = subcommand === 'run' ? (words.find((word) => word !== '-s') ?? '') : subcommand
      if (script === 'ci') continue
      expect(Object.keys(scripts), line).toContain(script)
      const args = line.includes(' -- ') ? (line.split(' -- ')[1] ?? '').split(' ') : []
      for (const option of args.filter((word) => word.startsWith('--')))
        expect(sourceOf(script), `${line}: ${option}`).toMatch(new RegExp(`\\b${option.slice(2)}: \\{`))
      for (const file of args.filter((word) => word.endsWith('.test.ts')))
        expect(existsSync(path.join(root, file)), file).toBe(true)
    }
  })

  test('installs the packages before it uses them', () => {
    for (const { steps } of Object.values(each.jobs)) {
      const lines = commandsOf(steps)
      const first = lines.findIndex((line) => line.startsWith('npm '))
      expect(lines[first]).toBe('npm ci')
    }
  })

  test('may only read, except for the job that releases', () => {
    expect(each.permissions).toEqual({ contents: 'read' })
    const jobsWithRights = Object.entries(each.jobs).filter(([, job]) => job.permissions !== undefined)
    expect(jobsWithRights.map(([name]) => name)).toEqual(each.name === 'release' ? ['release'] : [])
  })
})

const SYSTEMS = ['windows-latest', 'macos-latest', 'ubuntu-latest', 'ubuntu-24.04-arm']

test('every change is tested on Windows, macOS and Linux, on x64 and arm64', () => {
  expect(jobOf('ci', 'test').strategy?.matrix.os).toEqual(expect.arrayContaining(SYSTEMS))
  expect(commandsOf(jobOf('ci', 'test').steps)).toContain('npm test')
})

test('every change runs the long tests once', () => {
  const longTestSteps = jobOf('ci', 'test').steps.filter(({ run }) => run === 'npm test -- long')
  expect(longTestSteps).toEqual([
    { if: "matrix.os == 'ubuntu-latest' && matrix.node == 24", run: 'npm test -- long' },
  ])
})

test('the soak runs every night', () => {
  expect(workflow('nightly').on.schedule).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }])
  expect(commandsOf(stepsOf(workflow('nightly')))).toContain('npm run soak')
})

describe('a release', () => {
  const IS_TAG = "github.event_name == 'push'"
  const release = workflow('release')

  test('starts with a tag; in a pull request, it publishes and attests nothing', () => {
    expect(release.on).toEqual({ push: { tags: ['v*'] }, pull_request: null })
    const effects = stepsOf(release).filter(
      ({ run = '', uses = '' }) =>
        /--release\b|gh release/.test(run) || uses.startsWith('actions/attest-build-provenance@'),
    )
    expect(effects).toHaveLength(5)
    for (const step of effects) expect(step.if).toBe(IS_TAG)
  })

  test('needs the tests of all systems and the packages of all systems', () => {
    expect(jobOf('release', 'test').strategy?.matrix.os).toEqual(expect.arrayContaining(SYSTEMS))
    for (const name of ['linux', 'windows', 'macos']) expect(jobOf('release', name).needs).toBe('test')
    expect(jobOf('release', 'release').needs).toEqual(['linux', 'windows', 'windows-install', 'macos'])
  })

  test('is a draft with checksums, provenance and the notes of the changelog', () => {
    const { steps } = jobOf('release', 'release')
    const commands = commandsOf(steps)
    expect(commands).toContain('npm run release-notes -- notes.md')
    expect(commands.find((line) => line.startsWith('gh '))).toMatch(
      /--draft --verify-tag --notes-file notes\.md/,
    )
    const attest = steps.find(({ uses }) => uses?.startsWith('actions/attest-build-provenance@'))
    expect(attest?.with).toEqual({ 'subject-checksums': 'release/SHA256SUMS' })
  })

  test('gives each secret except the Mac certificate to one step only, and none to `npm ci`', () => {
    const text = readFileSync(path.join(folder, 'release.yml'), 'utf8')
    const secrets = [...text.matchAll(/\$\{\{[^}]*secrets\.(\w+)[^}]*\}\}/g)].map(([, name]) => name)
    expect(secrets.filter((name) => name !== 'MAC_CERTIFICATE')).toEqual([
      ...new Set(secrets.filter((name) => name !== 'MAC_CERTIFICATE')),
    ])
    for (const { steps } of Object.values(release.jobs))
      for (const step of steps) if (step.run === 'npm ci') expect(Object.keys(step)).toEqual(['run'])
  })
})
