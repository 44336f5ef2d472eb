import { parseArgs } from 'node:util'
import type { Comparison } from './comparison.ts'
import { benchHash } from './hash.ts'
import { benchRecorderFirst } from './recorder/first.ts'
import { benchGrowing } from './recorder/growing.ts'
import { benchSandboxPut } from './sandbox-put.ts'
import { benchUpload } from './upload.ts'

const benches: Readonly<Record<string, () => Promise<Comparison | readonly Comparison[]>>> = {
  hash: benchHash,
  upload: benchUpload,
  sandbox: benchSandboxPut,
  growing: benchGrowing,
  recorder: benchRecorderFirst,
}

const { positionals } = parseArgs({ allowPositionals: true })
const chosen = positionals.length === 0 ? Object.keys(benches) : positionals
const unknown = chosen.find((name) => !(name in benches))
if (unknown !== undefined) {
  process.stderr.write(`There is no bench "${unknown}"; there are ${Object.keys(benches).join(', ')}.\n`)
  process.exit(1)
}

process.stdout.write(
  `${'what'.padEnd(38)}${'ours'.padStart(12)}${'reference'.padStart(12)}${'ratio'.padStart(8)}\n`,
)
for (const name of chosen) {
  for (const row of [await benches[name]!()].flat()) {
    const figure = (value: number) => `${value.toFixed(row.unit === 's' ? 1 : 0)} ${row.unit}`.padStart(12)
    process.stdout.write(
      `${row.name.padEnd(38)}${figure(row.ours)}${figure(row.reference)}${row.ratio.toFixed(2).padStart(8)}\n`,
    )
  }
}
