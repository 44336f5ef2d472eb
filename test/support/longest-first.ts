import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Half a minute and more, the longest first, as seen on two cores; those that wait stand beside those that work. The
 * last three are shorter, but of the unit tests, which come last, and would be left over alone.
 */
const LONGEST = [
  'soak/stories',
  'soak/doors',
  'soak/removals',
  'soak/faults/many',
  'soak/faults/kill-app',
  'soak/faults/kill-agent',
  'soak/memory',
  'soak/faults/answers',
  'soak/faults/way-there',
  'long/hard-cases-file',
  'long/kill-nine',
  'page/accessibility',
  'long/hard-cases-session',
  'page/recordings-work',
  'e2e/lifecycle',
  'page/recordings',
  'contract/contract',
  'integration/trust/completed-kept',
  'integration/journal-damage',
  'page/station',
  'integration/transfer',
  'long/hard-cases-station',
  'e2e/first-run',
  'integration/webhooks',
  'integration/forecast',
  'integration/bad-input',
  'integration/cli',
  'e2e/security',
  'integration/doctor',
  'integration/other-organisation',
  'integration/trust/dropped-part',
  'integration/managed',
  'page/holds',
  'page/settings',
  'e2e/large-journal',
  'unit/one-truth',
  'unit/door',
  'unit/journal-migration',
  'unit/forecast',
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
