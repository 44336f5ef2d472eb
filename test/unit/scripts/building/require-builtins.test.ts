import { expect, test } from 'vitest'
import { requireBuiltins } from '../../../../scripts/building/require-builtins.mjs'

const { renderChunk } = requireBuiltins() as unknown as { readonly renderChunk: (code: string) => string }

test.each([
  ['import os from "node:os";', 'const os = process.getBuiltinModule("node:os");'],
  ['import * as tls from "node:tls";', 'const tls = process.getBuiltinModule("node:tls");'],
  [
    'import { join, sep as bar } from "node:path";',
    'const { join, sep: bar } = process.getBuiltinModule("node:path");',
  ],
  [
    'import os, { cpus } from "node:os";',
    'const os = process.getBuiltinModule("node:os"); const { cpus } = process.getBuiltinModule("node:os");',
  ],
  [
    'import fs from "node:fs";',
    'const fs = (process.getBuiltinModule("original-fs") ?? process.getBuiltinModule("node:fs"));',
  ],
  [
    'import { open } from "node:fs/promises";',
    'const { open } = (process.getBuiltinModule("original-fs")?.promises ?? process.getBuiltinModule("node:fs/promises"));',
  ],
])('%s becomes a call of `getBuiltinModule`', (source, expected) => {
  expect(renderChunk(`${source}\nfs`)).toBe(`${expected}\nfs`)
})

test.each([
  'import fs, * as all from "node:fs";',
  'import { default as fs } from "node:fs";',
  'import "node:fs";',
  'import { app } from "electron";',
])('%s stays unchanged', (source) => {
  expect(renderChunk(source)).toBe(source)
})
