import { DefaultReporter, type TestCase, type TestModule } from 'vitest/node'

type RunEnd = Parameters<DefaultReporter['onTestRunEnd']>

/** After Vitest's own output, prints the skipped tests by reason, if there are any, and one line with the counts. */
export class ClosingLines extends DefaultReporter {
  override async onTestRunEnd(...[modules, errors, reason]: RunEnd): Promise<void> {
    await super.onTestRunEnd(modules, errors, reason)
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const skippedLine = formatSkippedLine(tests)
    if (skippedLine !== null) this.log(skippedLine)
    this.log(formatCountLine(tests, countFailuresOutsideTests(modules) + errors.length))
  }
}

const formatCountLine = (tests: readonly TestCase[], outsideTests: number): string => {
  const count = (state: string) => tests.filter((test) => test.result().state === state).length
  return `${count('passed')} passed, ${count('failed') + outsideTests} failed, ${count('skipped')} skipped`
}

/** A file that does not load or a hook that fails makes the run fail, even if no test failed. */
const countFailuresOutsideTests = (modules: readonly TestModule[]): number =>
  modules
    .flatMap((module) => [module, ...module.children.allSuites()])
    .filter((task) => task.errors().length > 0).length

/** Null if no test was skipped for a missing requirement. Tests that Vitest skips after a failed hook do not count. */
const formatSkippedLine = (tests: readonly TestCase[]): string | null => {
  const counts = new Map<string, number>()
  for (const test of tests) {
    const { needs } = test.meta()
    if (needs !== undefined) counts.set(needs, (counts.get(needs) ?? 0) + 1)
  }
  if (counts.size === 0) return null
  const reasons = [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([need, count]) => `${count} ${count === 1 ? 'needs' : 'need'} ${need}`)
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return `sluice: ${total} ${total === 1 ? 'test' : 'tests'} skipped for missing requirements: ${reasons.join(', ')}`
}
