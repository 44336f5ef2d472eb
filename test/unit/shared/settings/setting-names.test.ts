import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { sections, settingName, settingNames } from '../../../../shared/settings/setting-names.ts'
import { settingsSchema } from '../../../../shared/settings/settings.ts'

type Node = {
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly anyOf?: readonly Node[]
  readonly oneOf?: readonly Node[]
}

const pathsIn = (node: Node, prefix = ''): readonly string[] => [
  ...Object.entries(node.properties ?? {}).flatMap(([name, inner]) => [
    `${prefix}${name}`,
    ...pathsIn(inner, `${prefix}${name}.`),
  ]),
  ...[
    ...(node.anyOf ?? []),
    ...(node.oneOf ?? []),
    ...(node.items === undefined ? [] : [node.items]),
  ].flatMap((inner) => pathsIn(inner, prefix)),
]
const schema = z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' }) as Node
const fields = [...new Set(pathsIn(schema))].filter((name) => name !== '$schema')

test('every field of the schema has a name, and every name has a field', () => {
  expect(Object.keys(settingNames).toSorted()).toEqual(fields.toSorted())
  expect(sections.toSorted()).toEqual(fields.filter((field) => !field.includes('.')).toSorted())
})

test('fields of one section have different names', () => {
  const namesBySection = fields.map((field) => {
    const parent = field.slice(0, Math.max(0, field.lastIndexOf('.')))
    return `${parent}: ${settingName(field)}`
  })
  expect(new Set(namesBySection).size).toBe(namesBySection.length)
})

/**
 * Reads the settings from the tables of the admin guide. A cell like "`folders[].path`, `site`" documents two settings.
 * An example of an object also documents its fields.
 */
const readDocumentedSettings = (): ReadonlySet<string> => {
  const guide = readFileSync(path.join(import.meta.dirname, '../../../../docs/admin-guide.md'), 'utf8')
  const rows = guide.split('\n').filter((line) => /^\| `[a-z]+(?:\[\])?\.[a-z_.]+`/.test(line))
  return new Set(
    rows.flatMap((row) => {
      const [, first = '', , ...meaning] = row.split('|')
      const names = [...first.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.replace('[]', ''))
      const parent = (names[0] ?? '').replace(/\.[^.]*$/, '')
      const fullNames = names.map((name) => (name.includes('.') ? name : `${parent}.${name}`))
      const inner = [...meaning.join('|').matchAll(/"([a-z_]+)":/g)]
      return [...fullNames, ...inner.map(([, name]) => `${fullNames[0]}.${name}`)]
    }),
  )
}

test('the admin guide documents exactly the existing settings', () => {
  const documented = readDocumentedSettings()
  const undocumented = fields.filter((field) => field.includes('.') && !documented.has(field))
  expect(undocumented).toEqual([])
  expect([...documented].filter((name) => !fields.includes(name))).toEqual([])
})
