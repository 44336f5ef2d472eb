import { execFileSync } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { managedFileOf, readManagedFile } from '../../main/managed/managed-file.ts'
import { readWindowsPolicies } from '../../main/managed/windows-policy.ts'
import { windowsSystemFile } from '../../shared/paths/system-files.ts'
import { POLICY_KEY } from '../../shared/settings/policy-settings.ts'

const reg = (...args: readonly string[]) =>
  execFileSync(windowsSystemFile('reg.exe', process.env), [...args, '/reg:64'], { stdio: 'ignore' })
const key = `HKLM\\${POLICY_KEY}`

test('reads policies of every supported type from the registry', () => {
  onTestFinished(() => void reg('delete', key, '/f'))
  const add = (name: string, type: string, data: string) =>
    reg('add', key, '/v', name, '/t', type, '/d', data, '/f')
  add('service.base_url', 'REG_SZ', 'https://api.example.com')
  add('folders', 'REG_MULTI_SZ', '[{"path":"D:","site":\\0"a"}]')
  add('transfer.parallel_parts', 'REG_DWORD', '8')
  expect(readWindowsPolicies('win32')).toEqual(
    new Map([
      ['service.base_url', 'https://api.example.com'],
      ['folders', '[{"path":"D:","site":\n"a"}]'],
      ['transfer.parallel_parts', '8'],
    ]),
  )
})

test('finds no policies on a PC that has none for Sluice', () => {
  expect(readWindowsPolicies('win32').size).toBe(0)
})

test('reports that it cannot read a policy with a name of 300 characters', () => {
  onTestFinished(() => void reg('delete', key, '/f'))
  reg('add', key, '/v', 'x'.repeat(300), '/t', 'REG_SZ', '/d', '1', '/f')
  expect(readManagedFile(managedFileOf('win32', process.env))).toMatchObject({
    kind: 'bad',
    reason: expect.stringMatching(/^Sluice cannot read its policies in the registry/),
  })
})
