import path from 'node:path'
import { expect, test } from 'vitest'
import { chooseFiles } from '../../../../scripts/testing/choose-files.mjs'

const root = path.resolve(import.meta.dirname, '../../../..')
const options = { defaultProjects: ['unit', 'e2e'], onDemandProjects: ['soak'], root, cwd: root }
const choose = (...args: string[]) => chooseFiles(args, options)
const onlyFile = (file: string) => ({ projects: [file.split('/')[1]], files: [file] })

test.each([
  ['no argument', [], { projects: ['unit', 'e2e'], files: null }],
  ['a project', ['soak'], { projects: ['soak'], files: null }],
  [
    'a path',
    ['test/unit/main/agent/stage/slots.test.ts'],
    onlyFile('test/unit/main/agent/stage/slots.test.ts'),
  ],
  [
    'a path with a dot',
    ['./test/unit/main/agent/stage/slots.test.ts'],
    onlyFile('test/unit/main/agent/stage/slots.test.ts'),
  ],
  [
    'an absolute path',
    [path.join(root, 'test/unit/main/agent/stage/slots.test.ts')],
    onlyFile('test/unit/main/agent/stage/slots.test.ts'),
  ],
  ['a part of a path', ['unit/slots'], onlyFile('test/unit/main/agent/stage/slots.test.ts')],
  ['a name in two projects', ['windowless-start'], onlyFile('test/e2e/windowless-start.test.ts')],
  [
    'the same name in a named project',
    ['soak', 'windowless-start'],
    onlyFile('test/soak/windowless-start.test.ts'),
  ],
  ['a file that runs on demand', ['large-upload'], onlyFile('test/soak/large-upload.test.ts')],
  ['a name that matches nothing', ['slots', 'nonsense'], { unknown: 'nonsense' }],
] as const)('chooses the files for %s', (_, args, expected) => {
  expect(choose(...args)).toEqual(expected)
})

test('runs each of several files once, also from several projects', () => {
  expect(choose('slots', 'windowless-start', 'unit/slots.test.ts')).toEqual({
    projects: ['unit', 'e2e'],
    files: ['test/unit/main/agent/stage/slots.test.ts', 'test/e2e/windowless-start.test.ts'],
  })
})

test('a named project runs completely, even if a file of a different project is named too', () => {
  const choice = choose('soak', 'slots')
  expect(choice).toMatchObject({ projects: ['unit', 'soak'] })
  expect('files' in choice && choice.files?.filter((file) => !file.startsWith('test/soak/'))).toEqual([
    'test/unit/main/agent/stage/slots.test.ts',
  ])
})

test('a path is relative to the current folder', () => {
  const choice = chooseFiles(['slots.test.ts'], { ...options, cwd: path.join(root, 'test/unit') })
  expect(choice).toEqual(onlyFile('test/unit/main/agent/stage/slots.test.ts'))
})
