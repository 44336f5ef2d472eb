import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { commandsPage } from './docs/commands-page.ts'
import { ROOT } from './launcher/project.mjs'

await writeFile(path.join(ROOT, 'docs/commands.md'), commandsPage())
