import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** Marks around the generated figures of a page in docs. People write the other text. */
const BEGIN = '<!-- figures: begin -->'
const END = '<!-- figures: end -->'

export const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`

/** Prints the figures and writes them into their page. */
export const writePage = async (name: string, figures: string): Promise<void> => {
  process.stdout.write(`${figures}\n`)
  const file = path.join(import.meta.dirname, `../../docs/${name}.md`)
  const page = await readFile(file, 'utf8')
  const [before, , after] = [page.split(BEGIN)[0], null, page.split(END)[1]]
  if (before === undefined || after === undefined) throw new Error(`${file} has no marks for figures`)
  await writeFile(file, `${before}${BEGIN}\n${figures}\n${END}${after}`)
}
