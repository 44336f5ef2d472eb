import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { type FaultResult, writeReliabilityPage } from './reliability-page.ts'

/** After the faults of `npm run soak`, prints a table in the terminal and writes `docs/reliability.md`. */
export class FaultTable implements Reporter {
  #startMs = 0

  onTestRunStart(): void {
    this.#startMs = performance.now()
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const results = modules
      .filter(({ moduleId }) => moduleId.replaceAll('\\', '/').includes('/test/soak/faults/'))
      .flatMap((module) => [...module.children.allTests()])
      .flatMap(resultOf)
    if (results.length === 0) return
    console.table(
      Object.fromEntries(
        results.map(({ name, result, seconds, figures }) => [
          name,
          {
            result,
            seconds: Math.round(seconds),
            ...(result === 'held' ? { figures: JSON.stringify(figures) } : {}),
          },
        ]),
      ),
    )
    const command = process.env.SLUICE_SOAK_COMMAND ?? 'npm run soak'
    writeReliabilityPage(results, {
      command,
      minutes: Math.ceil((performance.now() - this.#startMs) / 60_000),
    })
  }
}

const resultOf = (test: TestCase): FaultResult[] => {
  const { fault, needs } = test.meta()
  const { state, errors } = test.result()
  const seconds = (test.diagnostic()?.duration ?? 0) / 1_000
  if (needs !== undefined)
    return [
      {
        name: test.name as FaultResult['name'],
        result: 'left out',
        figures: {},
        seed: null,
        seconds: 0,
        reason: `needs ${needs}`,
      },
    ]
  // The run did not select this fault.
  if (fault === undefined || state === 'skipped' || state === 'pending') return []
  const reason = errors?.map(({ message }) => stripVTControlCharacters(message)).join('; ') ?? ''
  return [{ ...fault, result: state === 'passed' ? 'held' : 'broken', seconds, reason }]
}
