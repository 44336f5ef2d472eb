import { existsSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Bench, Figure, Missing } from './figure.ts'
import { moveIntoMemory } from './on-disk.ts'
import { benchSizes } from './sizes.ts'
import { markdownTable, terminalRow } from './table.ts'

/**
 * `npm run bench` measures Sluice and reference programs in turn. `-- NAME…` runs only the named benches. `-- --write`
 * replaces the table in docs/performance.md, or in docs/server-guide.md if all benches of the server are named. One line
 * above the table names the date and the PC of all figures, so a run of fewer benches cannot write.
 * `-- --quick` only shows that the benches run. Files are in memory if the PC has enough memory, so that the figures
 * do not depend on a disk. The benches that call `onDisk` keep their files on disk nevertheless.
 */

const NEEDED_MEMORY_BYTES = 8_000_000_000
const DOCS = path.join(import.meta.dirname, '../../docs')
const BEGIN = '<!-- figures: npm run bench -- --write -->'
const END = '<!-- end of figures -->'

const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  hash: async () => (await import('./hash.ts')).benchHash,
  parts: async () => (await import('./parts.ts')).benchParts,
  way: async () => (await import('./whole-upload.ts')).benchWholeUpload,
  small: async () => (await import('./small-files.ts')).benchSmallFiles,
  closed: async () => (await import('./closed-to-queued.ts')).benchClosedToQueued,
  inspection: async () => (await import('./inspection.ts')).benchInspection,
  journal: async () => (await import('./journal-size.ts')).benchJournalSize,
  scan: async () => (await import('./folder-scan.ts')).benchFolderScan,
  growing: async () => (await import('./recorder/growing.ts')).benchGrowing,
  recorder: async () => (await import('./recorder/recorder-priority.ts')).benchRecorderPriority,
  memory: async () => (await import('./memory.ts')).benchMemory,
  footprint: async () => (await import('./idle-memory.ts')).benchIdleMemory,
  idle: async () => (await import('./idle.ts')).benchIdle,
  watching: async () => (await import('./watching.ts')).benchWatching,
  's3-upload': async () => (await import('./lab/s3-upload.ts')).benchS3Upload,
  sessions: async () => (await import('./lab/sessions.ts')).benchSessions,
  list: async () => (await import('./lab/list.ts')).benchList,
  'server-memory': async () => (await import('./lab/memory.ts')).benchServerMemory,
  completion: async () => (await import('./completion.ts')).benchCompletion,
  sandbox: async () => (await import('./sandbox-put.ts')).benchSandboxPut,
}

/** The benches in `ON_DEMAND` run only if the command names them, because they do not measure Sluice on a station. */
const SERVER_BENCHES = ['s3-upload', 'sessions', 'list', 'server-memory', 'completion']
const ON_DEMAND = [...SERVER_BENCHES, 'sandbox', 'watching']

const hasSpaceInMemory = (): boolean => {
  if (!existsSync('/dev/shm')) return false
  const { bavail, bsize } = statfsSync('/dev/shm')
  return bavail * bsize > NEEDED_MEMORY_BYTES && totalmem() > 2 * NEEDED_MEMORY_BYTES
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
})
if (values.quick && values.write) {
  process.stderr.write('Figures of --quick mean nothing and are not written.\n')
  process.exit(1)
}
const everyRun = Object.keys(benches).filter((name) => !ON_DEMAND.includes(name))
const chosen = positionals.length === 0 ? everyRun : positionals
const unknown = chosen.find((name) => !(name in benches))
if (unknown !== undefined) {
  process.stderr.write(`Unknown bench "${unknown}". Choose from ${Object.keys(benches).join(', ')}.\n`)
  process.exit(1)
}

// The figures of the server have a table of their own.
const isServerRun = chosen.every((name) => SERVER_BENCHES.includes(name))
const notChosen = (isServerRun ? SERVER_BENCHES : everyRun).filter((name) => !chosen.includes(name))
if (values.write && notChosen.length > 0) {
  process.stderr.write(
    `--write replaces the whole table, but these benches would not run: ${notChosen.join(', ')}. Leave out --write, or name them too.\n`,
  )
  process.exit(1)
}

const isInMemory = hasSpaceInMemory()
if (isInMemory) moveIntoMemory()
// The folder with the shipped code of the agent, the server and the sandbox.
process.env.SLUICE_COMPILED ??= path.join(import.meta.dirname, '../../out')
const where = `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown'} (${process.arch}), files ${isInMemory ? 'in memory' : 'on disk'}`
process.stdout.write(`${where}\n\n`)

const rows: (Figure | Missing)[] = []
const sizes = benchSizes(values.quick ? 'quick' : 'full')
for (const name of chosen) {
  const bench = await benches[name]!()
  const startedAtMs = performance.now()
  for (const row of await bench(sizes)) {
    rows.push(row)
    process.stdout.write(`${terminalRow(row)}\n`)
  }
  process.stdout.write(`(${name}: ${Math.round((performance.now() - startedAtMs) / 1000)} s)\n\n`)
}

if (values.write) {
  const file = path.join(DOCS, isServerRun ? 'server-guide.md' : 'performance.md')
  const page = readFileSync(file, 'utf8')
  const [before = '', rest = ''] = page.split(BEGIN)
  const after = rest.split(END)[1] ?? ''
  const head = `${new Date().toISOString().slice(0, 10)}, ${where}, \`npm run bench -- ${[...positionals, '--write'].join(' ')}\``
  writeFileSync(file, `${before}${BEGIN}\n${head}\n\n${markdownTable(rows)}\n${END}${after}`)
}

// The shared process of the sandboxes would keep this process running.
process.exit()
