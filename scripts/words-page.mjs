import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { wordsPage } from './docs/words-page.ts'
import { ROOT } from './launcher/project.mjs'

await writeFile(path.join(ROOT, 'docs/words.md'), wordsPage())
