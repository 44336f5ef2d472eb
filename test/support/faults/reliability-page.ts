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
  /** What was broken, or what this computer lacks. */
  readonly why: string
}

const PAGE = path.resolve(import.meta.dirname, '../../../docs/reliability.md')

const inWords = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ')

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const rowOf = (fault: (typeof faults)[number], of: FaultResult | undefined, date: string): string => {
  const told = of === undefined ? ['not run', '', '', ''] : toldOf(of, date)
  return `| \`${fault.name}\` | ${[fault.done, fault.end, ...told].map(cell).join(' | ')} |`
}

const toldOf = ({ result, figures, seed, seconds, why }: FaultResult, date: string): string[] => [
  result === 'held' ? 'held' : `${result}: ${why.slice(0, 200)}`,
  inWords(figures),
  `${Math.round(seconds)} s`,
  `${date}, ${process.arch}${seed === null ? '' : `, seed ${seed}`}`,
]

/** Rows of the page as it is, so that a run of a few faults, or without Electron, leaves what is known of the others. */
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

/** Written by every run of a fault; `command` is how the run was started. */
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
      : `The last run played ${played.length} of ${faults.length} faults in ${run.minutes} minutes; the other rows are of the runs that they name${without}.`
  const broken = rows.filter((row) => / \| broken: /.test(row)).length
  writeFileSync(
    PAGE,
    `# What Sluice survives

Written by \`npm run soak\`; not edited by hand. One fault alone: \`npm run soak -- --fault NAME\`. A run is repeated with
its seed: \`SLUICE_SEED=… npm run soak -- --fault NAME\`.

The agent, and the app where it is about the app, run as real processes against the sandbox behind a proxy that spoils
the line (\`test/support/faults\`). After every fault the same is looked at: each revision of a recording is complete in
exactly one session, the service's bytes are the local ones, no acknowledged part was sent twice, no key and no
signature stands in a log, and everything is processed, and no condition is left, without a person. A part counts as
acknowledged once its ETag reached the agent; where the fault itself takes the answer or the journal away, once its ETag
is journaled. Where the service (\`mismatch-unchanged\`, \`etag-wrong\`) or a lost journal asks for a part again, it is sent
again. The virtual night runs the agent's stages and journal on a clock of its own, with drive and service in memory.

${last}

- Last run: ${date}, \`${run.command}\`
- Computer: ${computer()}
- Broken promises: ${broken}

| fault | what is done | exact end | result | figures | took | run |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`,
  )
}
