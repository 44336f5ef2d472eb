import { expect, test } from 'vitest'
import { settingsSchema } from '../../../../shared/settings/settings.ts'
import { settingsJsonSchema } from '../../../../shared/settings/settings-json-schema.ts'

type Node = {
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly additionalProperties?: boolean
}
const schema = JSON.parse(settingsJsonSchema()) as Node

test('the JSON schema has every section, refuses unknown fields, and accepts $schema', () => {
  expect(Object.keys(schema.properties ?? {}).sort()).toEqual(Object.keys(settingsSchema.shape).sort())
  expect(schema.properties).toHaveProperty('$schema')
  for (const node of [schema, schema.properties?.service, schema.properties?.folders?.items])
    expect(node?.additionalProperties).toBe(false)
})
