import { contractGaps } from '../../test/contract/contract-gaps.ts'
import { rules } from '../../test/contract/rules/all.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')

export const contractCoveragePage = (): string => `# Contract coverage of the sandbox

\`npm run docs\` generates this page from \`test/contract/rules/\` and \`test/contract/contract-gaps.ts\`; do not edit it. Each of the ${rules.length} rules is one test of
\`test/contract/contract.test.ts\`, named after its section and rule. The tests send raw HTTP to the sandbox, which runs as a
separate process. \`npm test -- contract\` runs all rules on SQLite and files. \`npm test -- long\` runs them again on PostgreSQL
with files, and on PostgreSQL with the S3 interface of OpenStack Swift, if these programs are installed.

| Section | Rule, and name of its test |
| --- | --- |
${rules.map(({ section, rule }) => `| ${section} | ${cell(rule)} |`).join('\n')}

## Gaps in the contract, and the sandbox's choices

The API of the sandbox has only the routes of the contract, and answers 404 to every other path. Faults are set through a
different port. Where the contract leaves a gap, this table lists what the sandbox does.

| Section | Gap | Choice |
| --- | --- | --- |
${contractGaps.map(({ section, gap, choice }) => `| ${section} | ${cell(gap)} | ${cell(choice)} |`).join('\n')}
`
