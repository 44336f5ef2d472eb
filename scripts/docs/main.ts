import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { command } from '../launcher/command.mjs'
import { ROOT } from '../launcher/project.mjs'
import { generatedPages } from './pages.ts'

await command(
  { usage: 'npm run docs [-- --check]', options: { check: { type: 'boolean' } } },
  async ({ check = false }) => {
    let staleCount = 0
    for (const { file, render } of generatedPages) {
      const target = path.join(ROOT, file)
      const text = render()
      if ((await readFile(target, 'utf8').catch(() => null)) === text) continue
      staleCount += 1
      if (!check) await writeFile(target, text)
      process.stdout.write(`${file} ${check ? 'is out of date: run npm run docs' : 'written'}\n`)
    }
    if (staleCount === 0)
      process.stdout.write(`All ${generatedPages.length} generated pages are up to date.\n`)
    return check && staleCount > 0 ? 1 : 0
  },
)
