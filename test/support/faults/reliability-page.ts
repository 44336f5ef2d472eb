import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { plural } from '../../../shared/words/format.ts'
import { type FaultName, faults } from '../../soak/faults/table.mjs'
import type { Figures } from './test-fault.ts'

export type FaultResult = {
  readonly name: FaultName
  readonly result: 'held' | 'broken' | 'left out'
  readonly figures: Figures
  readonly seed: number | null
  readonly seconds: number
  /** The broken promise, or the requirement that this computer does not meet. */
  readonly reason: string
}

const PAGE = path.resolve(import.meta.dirname, '../../../docs/reliability.md')

const describeFigures = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ')

const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const rowOf = (fault: (typeof faults)[number], result: FaultResult | undefined, date: string): string => {
  const cells = result === undefined ? ['not run', '', '', ''] : cellsOf(result, date)
  return `| \`${fault.name}\` | ${[fault.action, fault.end, ...cells].map(escapeCell).join(' | ')} |`
}

const cellsOf = ({ result, figures, seed, seconds, reason }: FaultResult, date: string): string[] => [
  result === 'held' ? 'as expected' : `${result}: ${reason.slice(0, 200)}`,
  describeFigures(figures),
  `${Math.round(seconds)} s`,
  `${date}, ${process.arch}${seed === null ? '' : `, seed ${seed}`}`,
]

/** Rows of the current page. A run that leaves out some faults keeps their rows. */
const readCurrentRows = (): ReadonlyMap<string, string> => {
  if (!existsSync(PAGE)) return new Map()
  const lines = readFileSync(PAGE, 'utf8').split('\n')
  return new Map(
    lines.flatMap((line) => {
      const name = /^\| `([a-z0-9-]+)` \|/.exec(line)?.[1]
      return name === undefined ? [] : [[name, line] as const]
    }),
  )
}

const describeComputer = (): string => {
  const cpus = os.cpus()
  const memory = Math.round(os.totalmem() / 2 ** 30)
  return `${cpus.length} × ${cpus[0]?.model.trim() ?? 'unknown processor'}, ${memory} GiB, ${os.type()} ${os.release()}`
}

/** Writes the page after a run of any fault. `command` is the command that started the run. */
export const writeReliabilityPage = (
  results: readonly FaultResult[],
  run: { readonly command: string; readonly minutes: number },
): void => {
  const date = new Date().toISOString().slice(0, 10)
  const currentRows = readCurrentRows()
  const rows = faults.map((fault) => {
    const result = results.find(({ name }) => name === fault.name)
    const hasRun = result !== undefined && result.result !== 'left out'
    const currentRow = hasRun ? undefined : currentRows.get(fault.name)
    return currentRow ?? rowOf(fault, result, date)
  })
  const finishedResults = results.filter(({ result }) => result !== 'left out')
  const leftOutResults = results.filter(({ result }) => result === 'left out')
  const leftOutHint =
    leftOutResults.length === 0
      ? ''
      : ` It could not run ${leftOutResults.map(({ name, reason }) => `${name} (${reason})`).join(', ')}.`
  const lastRunSentence =
    finishedResults.length === faults.length
      ? `All ${faults.length} faults in one run of ${plural(run.minutes, 'minute')}.`
      : `The last run included ${finishedResults.length} of ${faults.length} faults in ${plural(run.minutes, 'minute')}.${leftOutHint} The other rows are from earlier runs; the last column names the run of each row.`
  const brokenCount = rows.filter((row) => / \| broken: /.test(row)).length
  writeFileSync(
    PAGE,
    `# What Sluice survives

\`npm run soak\` generates this page; do not edit it. \`npm run soak -- --fault NAME\` runs one fault. To repeat a run, use
its seed: \`SLUICE_SEED=… npm run soak -- --fault NAME\`.

The agent runs as a real process and uploads to the sandbox. A proxy between agent and sandbox disturbs the network
(\`test/support/faults\`). For \`kill-main\`, \`kill-both\` and \`keychain-locked\`, the test also runs the real app. After every
fault, the test checks that:

- the final content of each recording is complete in exactly one session, with the same bytes as the local file,
- no acknowledged part was sent twice,
- no log contains a key or a signature,
- everything is processed, no recording is on hold and every condition has cleared, without human help.

A part is acknowledged when its ETag reaches the agent. Some faults can stop the agent from reading an answer or writing
it to the journal: a kill, a stopped process, a dead connection, a full or locked journal. With these faults, a part
counts as acknowledged only when its ETag is in the journal. The agent may send an acknowledged part again in two cases:
the service requires it, as in \`mismatch-unchanged\` and \`etag-wrong\`, or the journal was lost.

Two faults differ from this description. \`virtual-night\` runs the agent's stages and journal on a virtual clock, with
drive and service in memory. \`server-storm\` runs the lab's own server (\`server/\`) instead of the sandbox, and checks only
the expected outcome in its row.

${lastRunSentence}

- Last run: ${date}, \`${run.command}\`
- Computer: ${describeComputer()}
- Expected outcomes that were not met: ${brokenCount}

| fault | what happens | expected outcome | result | figures | duration | run |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`,
  )
}
