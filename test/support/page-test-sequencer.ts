import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Page tests keep the processor busy, while most other tests wait for something. This class spreads the page tests over
 * the run, so that both kinds share the processor. Unit tests are short and come last, so that no long file runs alone
 * at the end.
 */
export class PageTestSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { page = [], unit = [], rest = [] } = Object.groupBy(await super.sort(files), kindOf)
    return [...spread(page, rest), ...unit]
  }
}

const kindOf = ({ project: { name } }: TestSpecification): 'page' | 'unit' | 'rest' => {
  if (name === 'page' || name === 'long-page') return 'page'
  return name === 'unit' ? 'unit' : 'rest'
}

/** The number of page tests in a row. With 1, each page test would need a new worker, which starts a browser. */
const RUN_LENGTH = 3

const spread = <T>(pageTests: readonly T[], otherTests: readonly T[]): T[] => {
  const runs = Math.ceil(pageTests.length / RUN_LENGTH)
  const startOf = (run: number) => Math.round((run * otherTests.length) / (runs + 1))
  return Array.from({ length: runs + 1 }, (_, run) => [
    ...otherTests.slice(startOf(run), startOf(run + 1)),
    ...pageTests.slice(run * RUN_LENGTH, (run + 1) * RUN_LENGTH),
  ]).flat()
}
