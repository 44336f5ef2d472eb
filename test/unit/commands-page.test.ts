import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { commandsPage } from '../../scripts/docs/commands-page.ts'

test('docs/commands.md is what the table of commands says', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/commands.md'), 'utf8')
  expect(page, 'type: npm run commands-page').toBe(commandsPage())
})
