import { expect, test } from 'vitest'
import { managedFileOf, readManagedFile } from '../../../../main/managed/managed-file.ts'
import { readWindowsPolicies, registryText } from '../../../../main/managed/windows-policy.ts'
import { windowsPaths } from '../../../../shared/paths/paths.ts'

const TEXT = 1
const NUMBER = 4
const LINES = 7

test('a registry value is read as text, lines or a number', () => {
  const utf16 = (text: string) => Buffer.from(text, 'utf16le')
  expect(registryText(TEXT, utf16('https://api.example.com\0'))).toBe('https://api.example.com')
  expect(registryText(LINES, utf16('[{"path":\0"D:"}]\0\0'))).toBe('[{"path":\n"D:"}]')
  expect(registryText(NUMBER, Buffer.from([8, 0, 0, 0]))).toBe('8')
  expect(registryText(3, Buffer.from([1, 2]))).toBe('')
})

test('policies can manage a Windows station that has no managed settings file', () => {
  const file = managedFileOf('win32', process.env)
  const read = (policies: ReadonlyMap<string, string>) =>
    readManagedFile(file, windowsPaths, 'win32', () => policies)
  expect(read(new Map([['follow.poll_seconds', '3']]))).toMatchObject({
    kind: 'good',
    managed: { follow: { poll_seconds: 3 } },
  })
  expect(read(new Map([['follow.poll_seconds', 'soon']]))).toMatchObject({
    kind: 'bad',
    reason: expect.stringContaining('The policy of Sluice: follow.poll_seconds: '),
  })
})

test('if the policies cannot be read, the managed settings are invalid', () => {
  const file = managedFileOf('win32', process.env)
  const sentence = 'Sluice cannot read its policies in the registry (234)'
  const read = () =>
    readManagedFile(file, windowsPaths, 'win32', () => {
      throw new Error(sentence)
    })
  expect(read()).toEqual({ kind: 'bad', reason: sentence, faults: [] })
})

test('policies do not apply if `--managed` names a different file than the default', () => {
  const policies = new Map([['follow.poll_seconds', '3']])
  expect(readManagedFile('C:\\other.json', windowsPaths, 'win32', () => policies)).toMatchObject({
    kind: expect.not.stringMatching('good'),
  })
})

test('outside Windows, there are no policies', () => {
  expect(readWindowsPolicies('linux').size).toBe(0)
})
