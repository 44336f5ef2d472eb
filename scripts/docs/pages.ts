import { settingsJsonSchema } from '../../shared/settings/settings-json-schema.ts'
import { commandsPage } from './commands-page.ts'
import { contractCoveragePage } from './contract-coverage-page.ts'
import { failuresPage } from './failures-page.ts'
import { hardCasesPage } from './hard-cases-page.ts'
import { policyTemplate, policyTexts } from './policy-template.ts'
import { troubleshootingPage } from './troubleshooting-page.ts'
import { wordsPage } from './words-page.ts'

type GeneratedPage = {
  /** Relative to the repository, with slashes. */
  readonly file: string
  readonly render: () => string
}

export const generatedPages: readonly GeneratedPage[] = [
  { file: 'docs/commands.md', render: commandsPage },
  { file: 'docs/contract-coverage.md', render: contractCoveragePage },
  { file: 'docs/failures.md', render: failuresPage },
  { file: 'docs/hard-cases.md', render: hardCasesPage },
  { file: 'docs/settings.schema.json', render: settingsJsonSchema },
  { file: 'docs/troubleshooting.md', render: troubleshootingPage },
  { file: 'docs/windows/sluice.admx', render: policyTemplate },
  { file: 'docs/windows/en-US/sluice.adml', render: policyTexts },
  { file: 'docs/words.md', render: wordsPage },
]
