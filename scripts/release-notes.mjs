import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { changelogSection } from './building/changelog.mjs'
import { projectVersion } from './building/list-shipped.mjs'
import { command, ExpectedFailure } from './launcher/command.mjs'
import { ROOT } from './launcher/project.mjs'

/** Copies the section of this version from CHANGELOG.md into a file, as the text of the release. */
await command(
  {
    usage: 'npm run release-notes -- FILE [--draft]',
    options: { draft: { type: 'boolean' } },
    allowPositionals: true,
  },
  async ({ draft = false }, [file, ...extraArguments]) => {
    if (file === undefined || extraArguments.length > 0)
      throw new ExpectedFailure('name one file for the notes.')
    const changelog = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8')
    const section = changelogSection(changelog, draft ? null : projectVersion())
    if (section === null)
      throw new ExpectedFailure(`CHANGELOG.md has no dated section for ${projectVersion()}.`)
    await writeFile(path.resolve(process.env.INIT_CWD ?? process.cwd(), file), section)
    return 0
  },
)
