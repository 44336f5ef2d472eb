import { contractGaps } from '../../test/contract/contract-gaps.ts'
import { rules } from '../../test/contract/rules/all.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')

/** docs/contract-coverage.md, from the table of rules that the contract suite runs. */
export const contractCoveragePage = (): string => `# Contract coverage of the sandbox

\`npm run docs\` generates this page from \`test/contract/rules/\`; do not edit it. Each of the ${rules.length} rules is one test of
\`test/contract/contract.test.ts\`, named after its section and rule. The tests send raw HTTP to the sandbox, which runs as a
separate process. \`npm test -- contract\` runs them all on SQLite and files. \`npm test -- long\` runs them all on PostgreSQL and
files, and on PostgreSQL and the S3 interface of OpenStack Swift.

| Section | Rule, and name of its test |
| --- | --- |
${rules.map(({ section, rule }) => `| ${section} | ${cell(rule)} |`).join('\n')}

## Gaps in the contract, and the sandbox's choices

The sandbox adds no routes: it answers 404 to every path that the contract does not define. This table lists its answers where the
contract leaves a gap.

| Section | Gap | Choice |
| --- | --- | --- |
${contractGaps.map(({ section, gap, choice }) => `| ${section} | ${cell(gap)} | ${cell(choice)} |`).join('\n')}
`
