import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { silencePage } from './silence-page.ts'

/** Each makes its page of docs from years of made journals whose truth is known. */
const evaluations: Readonly<Record<string, (tell: (line: string) => void) => string>> = {
  silence: silencePage,
}

// A zone whose clocks change, wherever this runs.
process.env.TZ = 'Europe/Berlin'

const { positionals } = parseArgs({ allowPositionals: true })
const chosen = positionals.length === 0 ? Object.keys(evaluations) : positionals
for (const name of chosen) {
  const evaluate = evaluations[name]
  if (evaluate === undefined) {
    process.stderr.write(
      `There is no evaluation "${name}"; there are ${Object.keys(evaluations).join(', ')}.\n`,
    )
    process.exit(1)
  }
  const page = evaluate((line) => process.stdout.write(`${line}\n`))
  await writeFile(path.join(import.meta.dirname, `../../docs/${name}.md`), page)
}
