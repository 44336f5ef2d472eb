import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type FaultName, faults } from '../../soak/faults/table.mjs'
import type { Figures } from './play.ts'

export type FaultResult = {
  readonly name: FaultName
  readonly result: 'held' | 'broken' | 'left out'
  readonly figures: Figures
  readonly seed: number | null
  readonly seconds: number
  /** The broken promise, or the requirement that this computer does not meet. */
  readonly why: string
}

const PAGE = path.resolve(import.meta.dirname, '../../../docs/reliability.md')

const inWords = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ')

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const rowOf = (fault: (typeof faults)[number], of: FaultResult | undefined, date: string): string => {
  const cells = of === undefined ? ['not run', '', '', ''] : cellsOf(of, date)
  return `| \`${fault.name}\` | ${[fault.done, fault.end, ...cells].map(cell).join(' | ')} |`
}

const cellsOf = ({ result, figures, seed, seconds, why }: FaultResult, date: string): string[] => [
  result === 'held' ? 'held' : `${result}: ${why.slice(0, 200)}`,
  inWords(figures),
  `${Math.round(seconds)} s`,
  `${date}, ${process.arch}${seed === null ? '' : `, seed ${seed}`}`,
]

/** Rows of the current page, so that a run of a few faults, or without Electron, keeps the results of the others. */
const rowsBefore = (): ReadonlyMap<string, string> => {
  if (!existsSync(PAGE)) return new Map()
  const lines = readFileSync(PAGE, 'utf8').split('\n')
  return new Map(
    lines.flatMap((line) => {
      const name = /^\| `([a-z0-9-]+)` \|/.exec(line)?.[1]
      return name === undefined ? [] : [[name, line] as const]
    }),
  )
}

const computer = (): string => {
  const cpus = os.cpus()
  const memory = Math.round(os.totalmem() / 2 ** 30)
  return `${cpus.length} × ${cpus[0]?.model.trim() ?? 'unknown processor'}, ${memory} GiB, ${os.type()} ${os.release()}`
}

/** Every run of a fault writes the page. `command` is the command that started the run. */
export const writeReliabilityPage = (
  results: readonly FaultResult[],
  run: { readonly command: string; readonly minutes: number },
): void => {
  const date = new Date().toISOString().slice(0, 10)
  const before = rowsBefore()
  const rows = faults.map((fault) => {
    const now = results.find(({ name }) => name === fault.name)
    const isPlayed = now !== undefined && now.result !== 'left out'
    const kept = isPlayed ? undefined : before.get(fault.name)
    return kept ?? rowOf(fault, now, date)
  })
  const played = results.filter(({ result }) => result !== 'left out')
  const leftOut = results.filter(({ result }) => result === 'left out')
  const without =
    leftOut.length === 0 ? '' : ` (${leftOut[0]?.why}: ${leftOut.map(({ name }) => name).join(', ')})`
  const last =
    played.length === faults.length
      ? `All ${faults.length} faults in one run of ${run.minutes} minutes.`
      : `The last run played ${played.length} of ${faults.length} faults in ${run.minutes} minutes; each other row names its own run${without}.`
  const broken = rows.filter((row) => / \| broken: /.test(row)).length
  writeFileSync(
    PAGE,
    `# What Sluice survives

\`npm run soak\` generates this page; do not edit it. \`npm run soak -- --fault NAME\` plays one fault. To repeat a run, set
its seed: \`SLUICE_SEED=… npm run soak -- --fault NAME\`.

The agent runs as a real process against the sandbox. A proxy between them disturbs the network (\`test/support/faults\`).
Faults of the app run the real app, too. After every fault, the test checks that:

- each revision of a recording is complete in exactly one session, with the same bytes as the local file,
- no acknowledged part was sent twice,
- no log contains a key or a signature,
- everything is processed and every condition has cleared, without human help.

A part is acknowledged when its ETag reaches the agent. If the fault destroys the answer or the journal, it is acknowledged
when its ETag is in the journal. The agent sends such a part again only if the service (\`mismatch-unchanged\`,
\`etag-wrong\`) or a lost journal requires it. The virtual night runs the agent's stages and journal on a virtual clock, with
drive and service in memory.

${last}

- Last run: ${date}, \`${run.command}\`
- Computer: ${computer()}
- Broken promises: ${broken}

| fault | what happens | expected outcome | result | figures | duration | run |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`,
  )
}
