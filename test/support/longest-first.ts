import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Half a minute and more, the longest first, as seen on two cores. */
const LONGEST = [
  'soak/faults/many',
  'soak/faults/kill-app',
  'soak/faults/kill-agent',
  'soak/memory',
  'soak/faults/answers',
  'soak/faults/way-there',
  'e2e/life',
  'e2e/first-run',
  'integration/hard-cases-file',
  'integration/other-organisation',
  'integration/hard-cases-station',
  'integration/hard-cases-session',
  'integration/transfer',
  'integration/bad-input',
  'integration/trust/completed-kept',
  'page/accessibility',
  'integration/journal-damage',
  'integration/cli',
  'page/station',
  'page/recordings',
  'contract/contract',
].map((name) => `/test/${name}.test.ts`)

/**
 * A long file that begins last runs alone at the end, while the other core has nothing to do. Vitest remembers
 * durations, but a fresh clone has none to remember.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}

const rank = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.findIndex((file) => moduleId.endsWith(file))
  return place === -1 ? LONGEST.length : place
}
