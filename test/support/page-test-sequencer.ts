import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Page tests keep the processor busy, and most other tests wait. Spread over the run, both share the processor. Unit
 * tests are short and come last, so that no long file runs alone at the end.
 */
export class PageTestSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { page = [], unit = [], rest = [] } = Object.groupBy(await super.sort(files), kindOf)
    return [...spread(page, rest), ...unit]
  }
}

const kindOf = ({ project: { name } }: TestSpecification): 'page' | 'unit' | 'rest' =>
  name === 'page' || name === 'unit' ? name : 'rest'

/** For each change of project, Vitest starts a new worker, and a page worker starts a browser. */
const RUN_LENGTH = 3

const spread = <T>(some: readonly T[], others: readonly T[]): T[] => {
  const runs = Math.ceil(some.length / RUN_LENGTH)
  const cut = (run: number) => Math.round((run * others.length) / (runs + 1))
  return Array.from({ length: runs + 1 }, (_, run) => [
    ...others.slice(cut(run), cut(run + 1)),
    ...some.slice(run * RUN_LENGTH, (run + 1) * RUN_LENGTH),
  ]).flat()
}
