import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { settingsJsonSchema } from '../shared/settings-json-schema.ts'
import { ROOT } from './launcher/project.mjs'

await writeFile(path.join(ROOT, 'docs/settings.schema.json'), settingsJsonSchema())
