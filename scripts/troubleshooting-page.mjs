import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { troubleshootingPage } from './docs/troubleshooting-page.ts'
import { ROOT } from './launcher/project.mjs'

await writeFile(path.join(ROOT, 'docs/troubleshooting.md'), troubleshootingPage())
