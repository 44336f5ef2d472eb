import { parseArgs } from 'node:util'
import type { Comparison } from './comparison.ts'
import { benchFolderLook } from './folder-look.ts'
import { benchHash } from './hash.ts'
import { benchJournalSize } from './journal-size.ts'
import { benchSandboxPut } from './sandbox-put.ts'
import { benchSmallRecordings } from './small-recordings.ts'
import { benchUpload } from './upload.ts'

const benches: Readonly<Record<string, () => Promise<Comparison | readonly Comparison[]>>> = {
  hash: benchHash,
  upload: benchUpload,
  sandbox: benchSandboxPut,
  small: benchSmallRecordings,
  journal: benchJournalSize,
  look: benchFolderLook,
}

const { positionals } = parseArgs({ allowPositionals: true })
const chosen = positionals.length === 0 ? Object.keys(benches) : positionals
const unknown = chosen.find((name) => !(name in benches))
if (unknown !== undefined) {
  process.stderr.write(`There is no bench "${unknown}"; there are ${Object.keys(benches).join(', ')}.\n`)
  process.exit(1)
}

process.stdout.write(
  `${'what'.padEnd(44)}${'ours'.padStart(12)}${'reference'.padStart(12)}${'ratio'.padStart(8)}\n`,
)
for (const name of chosen)
  for (const row of [await benches[name]!()].flat()) {
    const digits = Math.min(row.ours, row.reference) < 10 ? 2 : 0
    const figure = (value: number) => `${value.toFixed(digits)} ${row.unit}`.padStart(12)
    process.stdout.write(
      `${row.name.padEnd(44)}${figure(row.ours)}${figure(row.reference)}${row.ratio.toFixed(2).padStart(8)}\n`,
    )
  }
