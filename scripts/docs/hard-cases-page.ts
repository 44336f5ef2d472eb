import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.join(import.meta.dirname, '../..')
const FOLDERS = ['main', 'shared']
/** Matches one comment. The line that starts with "Hard case:" names the case; the lines after it are the answer. */
const HARD_CASE = /\/\*\*\n((?: \*.*\n)*? \* Hard case: (?: \*.*\n|.*\n)+?) \*\//g

type HardCase = { readonly title: string; readonly answer: string; readonly file: string }

const casesIn = (file: string): HardCase[] => {
  const text = readFileSync(path.join(ROOT, file), 'utf8')
  return [...text.matchAll(HARD_CASE)].map(([, block = '']) => {
    const lines = block.split('\n').map((line) => line.replace(/^ \* ?/, ''))
    const titleIndex = lines.findIndex((line) => line.startsWith('Hard case: '))
    const title = (lines[titleIndex] ?? '').slice('Hard case: '.length).replace(/\.$/, '')
    const answer = lines
      .slice(titleIndex + 1)
      .join(' ')
      .trim()
    return { title, answer, file }
  })
}

const listSources = (): string[] =>
  FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((file) => file.endsWith('.ts')),
  ).sort()

export const hardCasesPage = (): string => {
  const rows = listSources()
    .flatMap(casesIn)
    .map(
      ({ title, answer, file }) =>
        `| ${title} | ${answer} | [\`${path.posix.basename(file)}\`](../${file}) |`,
    )
  return `# Hard cases

Failures at the worst moment, and how Sluice handles them. Each case is a comment beside the code that handles it. \`npm run docs\`
collects them here; edit the comment, not this page.

| case | answer | code |
| --- | --- | --- |
${rows.join('\n')}
`
}
