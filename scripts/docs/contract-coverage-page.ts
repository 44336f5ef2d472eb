import { notShown } from '../../test/contract/not-shown.ts'
import type { Rule } from '../../test/contract/rule.ts'

/** The text of docs/contract-coverage.md. */
export function renderCoverage(rules: readonly Rule[], passed: ReadonlySet<string>): string {
  const rows = rules.map(({ section, rule }) => {
    const name = `${section} ${rule}`
    return `| ${section} | ${cell(rule)} | ${passed.has(name) ? 'pass' : 'FAIL'} |`
  })
  const choices = notShown.map(
    ({ section, what, choice }) => `| ${section} | ${cell(what)} | ${cell(choice)} |`,
  )
  return `# Contract coverage of the sandbox

Written by \`node scripts/contract-coverage.mjs\` from the table in \`test/contract/rules/\`; do not edit. Each row is
one test of \`test/contract/contract.test.ts\`, named section and rule, over raw HTTP against the command as a
separate process. ${rules.length} rules, ${rules.filter((rule) => passed.has(`${rule.section} ${rule.rule}`)).length} pass.

| Section | Rule, and name of its test | Result |
| --- | --- | --- |
${rows.join('\n')}

## What the contract does not show, and what the sandbox does

Nothing is invented where the contract says "not shown": such routes answer 404. Where an answer is needed all
the same, this is the choice.

| Section | Not shown | Choice |
| --- | --- | --- |
${choices.join('\n')}
`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
