import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { failuresPage } from './docs/policy-table.ts'
import { ROOT } from './launcher/project.mjs'

await writeFile(path.join(ROOT, 'docs/failures.md'), failuresPage())
