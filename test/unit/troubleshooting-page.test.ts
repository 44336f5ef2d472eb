import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { problemOf } from '../../main/agent/domain/problems.ts'
import { troubleshootingPage } from '../../scripts/docs/troubleshooting-page.ts'
import { problemCodes } from '../../shared/status.ts'

test('docs/troubleshooting.md says what the code says; `npm run troubleshooting-page` writes it', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/troubleshooting.md'), 'utf8')
  expect(page).toBe(troubleshootingPage())
})

test('every problem has one entry, with its sentence and what to do, and nothing is left open', () => {
  const page = troubleshootingPage()
  for (const code of problemCodes) {
    const { sentence, next } = problemOf(code)
    expect(page.split(`<a id="${code}"></a>\n### ${sentence}\n`), code).toHaveLength(2)
    expect(page, code).toContain(next)
  }
  expect(page).not.toMatch(/undefined|null|\bNaN\b/)
})
