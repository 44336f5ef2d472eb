import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { importViolations } from '../../../../scripts/imports/zones.mjs'

let root: string
beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'sluice-zones-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const put = (file: string, text: string) => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  writeFileSync(path.join(root, file), text)
}

test.each([
  ['shared reads a file', 'shared/a.ts', "import fs from 'node:fs'"],
  ['shared reaches into main', 'shared/a.ts', "import { x } from '../main/agent/domain/x.ts'"],
  [
    'the verifier needs more than Node',
    'shared/webhook-verifier/verify-webhook.ts',
    "import { z } from 'zod'",
  ],
  ['domain uses Node', 'main/agent/domain/a.ts', "import { createHash } from 'crypto'"],
  ['domain uses a library', 'main/agent/domain/a.ts', "import { z } from 'zod'"],
  [
    'domain knows ports',
    'main/agent/domain/a.ts',
    "import type { Clock } from '../../../../main/agent/ports/clock.ts'",
  ],
  ['one stage calls another', 'main/agent/pipeline/a.ts', "import { b } from './b.ts'"],
  ['one stage names the type of another', 'main/agent/pipeline/a.ts', "import type { B } from './b.ts'"],
  ['a stage runs journal code', 'main/agent/pipeline/a.ts', "import { open } from '../journal/open.ts'"],
  [
    'a stage runs some journal code',
    'main/agent/pipeline/a.ts',
    "import { type A, b } from '../journal/a.ts'",
  ],
  ['a stage uses Node', 'main/agent/pipeline/a.ts', "import 'node:fs'"],
  ['a stage sends HTTP', 'main/agent/pipeline/a.ts', "import { request } from 'undici'"],
  ['journal sends HTTP', 'main/agent/journal/a.ts', "import { request } from 'undici'"],
  ['service writes SQL', 'main/agent/service/a.ts', "import Database from 'better-sqlite3'"],
  ['service runs journal code', 'main/agent/service/a.ts', "import type { Row } from '../journal/a.ts'"],
  ['platform sends HTTP', 'main/agent/platform/a.ts', "const { request } = await import('undici')"],
  ['status runs journal code', 'main/agent/status/a.ts', "export { open } from '../journal/open.ts'"],
  ['status uses Node', 'main/agent/status/a.ts', "import path from 'node:path'"],
  ['the agent uses Electron', 'main/agent/assembly/agent.ts', "import { app } from 'electron'"],
  ['a part of the agent uses Electron', 'main/agent/platform/a.ts', "import type { App } from 'electron'"],
  ['the agent writes SQL itself', 'main/agent/assembly/agent.ts', "import Database from 'better-sqlite3'"],
  ['shell runs agent code', 'main/shell/a.ts', "import { Agent } from '../agent/agent.ts'"],
  [
    'shell starts the sandbox elsewhere',
    'main/shell/a.ts',
    "import { start } from '../../../../sandbox/server.ts'",
  ],
  ['the app takes more of the sandbox', 'main/sandbox/sandbox-process.ts', "import '../sandbox/store.ts'"],
  ['what makes folders knows the app', 'main/local-files/make-folder.ts', "import { app } from 'electron'"],
  [
    'what closes the data folder knows the app',
    'main/local-files/owner-only.ts',
    "import { app } from 'electron'",
  ],
  ['main runs agent code', 'main/index.ts', "import { Agent } from './agent/agent.ts'"],
  [
    'the supervisor knows the shell',
    'main/supervisor/supervisor.ts',
    "import { open } from './shell/window.ts'",
  ],
  ['preload uses Node', 'preload/index.ts', "import fs from 'node:fs'"],
  ['the page uses Electron', 'renderer/a.tsx', "import { ipcRenderer } from 'electron'"],
  ['the page uses Node', 'renderer/a.tsx', "import path from 'node:path'"],
  ['the page reaches into main', 'renderer/features/a.tsx', "import { x } from '../../main/shell/x.ts'"],
  ['the page takes another library', 'renderer/a.tsx', "import _ from 'lodash'"],
  [
    'the sandbox runs shared code',
    'sandbox/a.ts',
    "import { schema } from '../shared/contract/control-api.ts'",
  ],
  [
    'the sandbox knows the settings',
    'sandbox/a.ts',
    "import type { Settings } from '../shared/settings/settings.ts'",
  ],
  [
    'the sandbox takes client code',
    'sandbox/a.ts',
    "import { plan } from '../main/agent/domain/part-plan.ts'",
  ],
  ['a type expression crosses', 'shared/a.ts', "export type A = import('../main/agent/ports.ts').Clock"],
  ['a require crosses', 'renderer/a.tsx', "const fs = require('node:fs')"],
  ['a computed import hides its target', 'shared/a.ts', 'const a = await import(name)'],
])('refuses when %s', async (_, file, line) => {
  put(file, `// first line\n${line}\n`)
  const violations = await importViolations(root)
  expect(violations).toHaveLength(1)
  expect(violations[0]).toMatch(new RegExp(`^${file}:2 imports .+: .+`))
})

test('says which file, which line, what and why', async () => {
  put('main/agent/flow/upload/uploader.ts', "\n\nimport { hash } from './hasher.ts'\n")
  expect(await importViolations(root)).toEqual([
    'main/agent/flow/upload/uploader.ts:3 imports ./hasher.ts: a stage imports domain, shared, ports and journal types; ' +
      'stages meet in the journal, never each other',
  ])
})

test('a folder that no line of the table names is refused', async () => {
  put('helpers/a.ts', 'export {}')
  expect(await importViolations(root)).toEqual([
    'helpers/a.ts:1 is in no zone: give its folder a line in scripts/imports/table.mjs',
  ])
})

test('allows what the table allows', async () => {
  put('shared/a.ts', "import { z } from 'zod'\nimport type { B } from './b.ts'")
  put(
    'main/agent/domain/a.ts',
    "import type { S } from '../../../shared/status/status.ts'\nimport { b } from './b.ts'",
  )
  put(
    'main/agent/pipeline/a.ts',
    "import type { Row } from '../journal/rows.ts'\nimport type { Clock } from '../../../../main/agent/ports/clock.ts'",
  )
  put('main/agent/journal/a.ts', "import Database from 'better-sqlite3'\nimport fs from 'node:fs'")
  put('main/agent/service/a.ts', "import { request } from 'undici'\nimport { z } from 'zod'")
  put('main/agent/platform/a.ts', "import { watch } from 'chokidar'\nimport { load } from 'koffi'")
  put(
    'main/agent/assembly/agent.ts',
    "import { a } from './pipeline/a.ts'\nimport { parseArgs } from 'node:util'",
  )
  put('main/sandbox/sandbox-process.ts', "import { start } from '../sandbox/server.ts'")
  put(
    'main/shell/tray/tray.ts',
    "import { Tray } from 'electron'\nimport { Supervisor } from '../supervisor.ts'",
  )
  put('renderer/main.tsx', "import './page.css'\nimport { createRoot } from 'react-dom/client'")
  put(
    'sandbox/server.ts',
    "import type { Session } from '../shared/contract/control-api.ts'\nimport http from 'node:http'",
  )
  put('test/unit/a.test.ts', "import Database from 'better-sqlite3'")
  expect(await importViolations(root)).toEqual([])
})
