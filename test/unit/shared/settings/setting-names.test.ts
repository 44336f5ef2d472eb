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
  const within = fields.map((field) => {
    const holder = field.slice(0, Math.max(0, field.lastIndexOf('.')))
    return `${holder}: ${settingName(field)}`
  })
  expect(new Set(within).size).toBe(within.length)
})

/** "`folders[].path`, `site`" documents two fields. The fields of an object are in its example. */
const documented = (): ReadonlySet<string> => {
  const guide = readFileSync(path.join(import.meta.dirname, '../../../../docs/admin-guide.md'), 'utf8')
  const rows = guide.split('\n').filter((line) => /^\| `[a-z]+(?:\[\])?\.[a-z_.]+`/.test(line))
  return new Set(
    rows.flatMap((row) => {
      const [, first = '', , ...meaning] = row.split('|')
      const named = [...first.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.replace('[]', ''))
      const holder = (named[0] ?? '').replace(/\.[^.]*$/, '')
      const whole = named.map((name) => (name.includes('.') ? name : `${holder}.${name}`))
      const inner = [...meaning.join('|').matchAll(/"([a-z_]+)":/g)]
      return [...whole, ...inner.map(([, name]) => `${whole[0]}.${name}`)]
    }),
  )
}

test('the admin guide has a row for every setting, and for no other', () => {
  const known = documented()
  const missing = fields.filter((field) => field.includes('.') && !known.has(field))
  expect(missing).toEqual([])
  expect([...known].filter((name) => !fields.includes(name))).toEqual([])
})
