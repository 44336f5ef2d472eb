import { expect, test } from 'vitest'
import { unusedFileFindings } from '../../../../main/cli/doctor-agents.ts'

test('if the agent of another account did the checks, `doctor` names the settings file that was not checked', () => {
  const agent = { account: 'recorder' }
  expect(unusedFileFindings(agent, [null, null])).toEqual([])
  const findings = unusedFileFindings(agent, ['/etc/mine.json', null])
  expect(findings).toMatchObject([{ verdict: 'warn', subject: 'Settings file' }])
  expect(findings[0]?.sentence).toContain('/etc/mine.json was not checked')
  expect(findings[0]?.sentence).toContain('recorder')
})
