import { expect, test } from 'vitest'
import { problemOf } from '../../../../main/agent/domain/problems.ts'
import { troubleshootingPage } from '../../../../scripts/docs/troubleshooting-page.ts'
import { problemCodes } from '../../../../shared/status/problem.ts'

test('every problem has exactly one entry with its sentence and next steps', () => {
  const page = troubleshootingPage()
  for (const code of problemCodes) {
    const { sentence, next } = problemOf(code)
    expect(page.split(`<a id="${code}"></a>\n### ${sentence}\n`), code).toHaveLength(2)
    expect(page, code).toContain(next)
  }
  expect(page).not.toMatch(/undefined|null|\bNaN\b/)
})
