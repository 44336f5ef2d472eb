import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../../..')

const listPages = (): readonly string[] => [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
]

/** The anchors that GitHub creates from headings. */
const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/^#{1,6} +(.*)$/gm)].map(([, heading = '']) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )

const findBrokenLinks = (page: string): string[] => {
  const text = readFileSync(path.join(ROOT, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return []
    const [file = '', anchor] = target.split('#')
    const targetFile =
      file === '' ? path.join(ROOT, page) : path.resolve(ROOT, path.dirname(page), decodeURI(file))
    if (!existsSync(targetFile)) return [`${page}: ${target}`]
    if (anchor === undefined || !targetFile.endsWith('.md')) return []
    return anchorsOf(readFileSync(targetFile, 'utf8')).has(anchor) ? [] : [`${page}: ${target}`]
  })
}

test('every link between the pages leads to a file and a heading that exist', () => {
  expect(listPages().flatMap(findBrokenLinks)).toEqual([])
})
