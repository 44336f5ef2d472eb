import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, it } from 'vitest'
import { PROGRAMS, programFile } from '../../scripts/building/programs.mjs'

const out = path.join(import.meta.dirname, '../../out')

/** The modules that a file loads before its first line runs. */
const staticImports = (file: string): readonly string[] =>
  parseSync(file, readFileSync(file, 'utf8')).module.staticImports.map(
    ({ moduleRequest }) => moduleRequest.value,
  )

it.each(Object.entries(PROGRAMS))(
  'at the start, the bundle of %s loads no package except Electron or better-sqlite3',
  (name, entry) => {
    const allowed = name === 'index' ? ['electron'] : ['better-sqlite3']
    expect(staticImports(programFile(out, entry)).filter((imported) => !allowed.includes(imported))).toEqual(
      [],
    )
  },
)
