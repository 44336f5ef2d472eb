import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findOrderViolations, importViolations } from '../../../../scripts/imports/import-violations.mjs'
import { ROOMS } from '../../../../scripts/imports/table.mjs'

let root: string
beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'sluice-imports-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const writeSource = (file: string, text: string) => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  writeFileSync(path.join(root, file), text)
}

const fileIn = (folder: string, name: string) => `${folder.replace(/\/?\*$/, '')}/${name}.ts`

const importOf = (from: string, to: string) => {
  const relative = path.posix.relative(path.posix.dirname(from), to)
  return relative.startsWith('.') ? relative : `./${relative}`
}

const rooms = ROOMS.filter(({ hasNoRules }) => hasNoRules !== true)

describe('a broken rule of the table', () => {
  test.each(rooms)(
    '$folder may import only the rooms in its `mayImport`',
    async ({ folder, mayImport = [] }) => {
      const file = fileIn(folder, 'a')
      const forbidden = rooms.filter((other) => other.folder !== folder && !mayImport.includes(other.folder))
      const lines = forbidden.map(
        (other) => `import { b } from '${importOf(file, fileIn(other.folder, 'b'))}'`,
      )
      writeSource(file, lines.join('\n'))
      expect(await importViolations(root)).toHaveLength(forbidden.length)
    },
  )

  test.each(rooms)(
    '$folder may import only types from the rooms in its `mayImportTypes`',
    async ({ folder, mayImportTypes = [] }) => {
      const file = fileIn(folder, 'a')
      const from = mayImportTypes.map((other) => importOf(file, fileIn(other, 'b')))
      writeSource(file, from.map((target) => `import type { B } from '${target}'`).join('\n'))
      expect(await importViolations(root)).toEqual([])
      writeSource(file, from.map((target) => `import { type B, b } from '${target}'`).join('\n'))
      expect(await importViolations(root)).toHaveLength(from.length)
    },
  )

  test.each(rooms)(
    '$folder may import only the libraries in its entry',
    async ({ folder, packages = [], mayImportNode }) => {
      const all = ['better-sqlite3', 'undici', 'electron', 'chokidar', 'koffi', 'react', 'zod', 'lodash']
      const forbidden = all.filter((name) => !packages.includes(name))
      writeSource(fileIn(folder, 'a'), forbidden.map((name) => `import x from '${name}'`).join('\n'))
      writeSource(fileIn(folder, 'b'), mayImportNode === true ? '' : "import fs from 'node:fs'")
      expect(await importViolations(root)).toHaveLength(forbidden.length + (mayImportNode === true ? 0 : 1))
    },
  )
})

test('only the shell, the supervisor, `main/*` and the preload may import Electron', () => {
  const users = rooms.filter(({ packages = [] }) => packages.includes('electron'))
  expect(users.map(({ folder }) => folder)).toEqual(['main/supervisor', 'main/shell', 'main/*', 'preload'])
})

test('an entry may name only rooms above it, so that there are no import cycles', () => {
  expect(findOrderViolations(ROOMS)).toEqual([])
  const cycle = [
    { folder: 'a', mayImport: ['b'], why: '' },
    { folder: 'b', mayImport: ['a'], why: '' },
  ]
  expect(findOrderViolations(cycle)).toEqual([
    'scripts/imports/table.mjs: a may not import b, which is not above it',
  ])
})

test('reports files that import each other, even if only for types', async () => {
  writeSource('shared/words/a.ts', "import { b } from './b.ts'")
  writeSource('shared/words/b.ts', "import type { C } from './c.ts'")
  writeSource('shared/words/c.ts', "import { a } from './a.ts'\nimport { d } from './d.ts'")
  writeSource('shared/words/d.ts', '')
  expect(await importViolations(root)).toEqual([
    'these files import each other: shared/words/a.ts -> shared/words/b.ts -> shared/words/c.ts -> shared/words/a.ts',
  ])
})

test('the table names folders only', () => {
  for (const { folder } of ROOMS) expect(folder).not.toMatch(/\.\w+$/)
})

test.each([
  ['an export', 'main/agent/status/a.ts', "export { open } from '../journal/open.ts'"],
  ['a dynamic import', 'main/agent/platform/a.ts', "const { request } = await import('undici')"],
  ['a type expression', 'shared/a.ts', "export type A = import('../main/agent/ports/clock.ts').Clock"],
  ['a require', 'renderer/a.tsx', "const fs = require('node:fs')"],
  ['a computed name', 'shared/a.ts', 'const a = await import(name)'],
])('finds a forbidden import in %s', async (_, file, line) => {
  writeSource(file, `// first line\n${line}\n`)
  const violations = await importViolations(root)
  expect(violations).toHaveLength(1)
  expect(violations[0]).toMatch(new RegExp(`^${file}:2 imports .+: .+`))
})

test('a forbidden import is reported with its file, line, name and reason', async () => {
  writeSource('main/agent/flow/upload/uploader.ts', "\n\nimport { hash } from '../hash/hasher.ts'\n")
  expect(await importViolations(root)).toEqual([
    'main/agent/flow/upload/uploader.ts:3 imports ../hash/hasher.ts: a step of the flow uses shared, domain, ports, stage, sessions and ' +
      'journal types; steps exchange data through the journal and never import each other',
  ])
})

test('refuses a folder that no entry of the table names', async () => {
  writeSource('helpers/a.ts', 'export {}')
  expect(await importViolations(root)).toEqual([
    'helpers/a.ts:1 is in no room: add an entry for its folder to scripts/imports/table.mjs',
  ])
})

test('accepts imports that the table allows', async () => {
  writeSource('shared/a.ts', "import { z } from 'zod'\nimport type { B } from './b.ts'")
  writeSource('main/agent/journal/a.ts', "import Database from 'better-sqlite3'\nimport fs from 'node:fs'")
  writeSource('main/agent/assembly/agent.ts', "import { a } from '../flow/upload/a.ts'\nimport 'node:util'")
  writeSource('main/sandbox/sandbox-process.ts', "import { start } from '../../sandbox/server.ts'")
  writeSource('renderer/main.tsx', "import './page.css'\nimport { createRoot } from 'react-dom/client'")
  writeSource('test/unit/a.test.ts', "import Database from 'better-sqlite3'")
  writeSource('vite.config.ts', "import { defineConfig } from 'vite'")
  expect(await importViolations(root)).toEqual([])
})
