import { z } from 'zod'
import { managedSettingsSchema } from './managed-settings.ts'

/**
 * The JSON schema of the settings file, for editors. Every field is optional, because own and managed files complete each
 * other. Sluice checks required fields when it reads the files.
 */
export const settingsJsonSchema = (): string => {
  const schema = z.toJSONSchema(managedSettingsSchema, { io: 'input', unrepresentable: 'any' })
  const titled = {
    ...schema,
    title: 'Settings of Sluice',
    description: 'For the settings file of a station, and for the one that an administrator rolls out.',
  }
  return `${JSON.stringify(titled, null, 2)}\n`
}
