import path from 'node:path'
import { expect, test } from 'vitest'
import { chooseFiles } from '../../../../scripts/testing/choose-files.mjs'

const root = path.resolve(import.meta.dirname, '../../../..')
const where = { inEveryRun: ['unit', 'e2e'], onDemand: ['soak'], root, cwd: root }
const choose = (...typed: string[]) => chooseFiles(typed, where)
const only = (file: string) => ({ projects: [file.split('/')[1]], files: [file] })

test.each([
  ['nothing', [], { projects: ['unit', 'e2e'], files: null }],
  ['a project', ['soak'], { projects: ['soak'], files: null }],
  ['a path', ['test/unit/main/agent/stage/slots.test.ts'], only('test/unit/main/agent/stage/slots.test.ts')],
  [
    'a path with a dot',
    ['./test/unit/main/agent/stage/slots.test.ts'],
    only('test/unit/main/agent/stage/slots.test.ts'),
  ],
  [
    'a whole path',
    [path.join(root, 'test/unit/main/agent/stage/slots.test.ts')],
    only('test/unit/main/agent/stage/slots.test.ts'),
  ],
  ['a part of a path', ['unit/slots'], only('test/unit/main/agent/stage/slots.test.ts')],
  ['a name in two projects', ['windowless-start'], only('test/e2e/windowless-start.test.ts')],
  [
    'the same name in a named project',
    ['soak', 'windowless-start'],
    only('test/soak/windowless-start.test.ts'),
  ],
  ['a file that runs on demand', ['large-upload'], only('test/soak/large-upload.test.ts')],
  ['a name that matches nothing', ['slots', 'nonsense'], { unknown: 'nonsense' }],
] as const)('%s', (_what, typed, expected) => {
  expect(choose(...typed)).toEqual(expected)
})

test('runs several files of several projects, each once', () => {
  expect(choose('slots', 'windowless-start', 'unit/slots.test.ts')).toEqual({
    projects: ['unit', 'e2e'],
    files: ['test/unit/main/agent/stage/slots.test.ts', 'test/e2e/windowless-start.test.ts'],
  })
})

test('a project stays whole next to a file of a different one', () => {
  const choice = choose('soak', 'slots')
  expect(choice).toMatchObject({ projects: ['unit', 'soak'] })
  expect('files' in choice && choice.files?.filter((file) => !file.startsWith('test/soak/'))).toEqual([
    'test/unit/main/agent/stage/slots.test.ts',
  ])
})

test('a path is relative to the folder in which it was typed', () => {
  const choice = chooseFiles(['slots.test.ts'], { ...where, cwd: path.join(root, 'test/unit') })
  expect(choice).toEqual(only('test/unit/main/agent/stage/slots.test.ts'))
})
