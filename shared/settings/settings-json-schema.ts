import { z } from 'zod'
import { managedSettingsSchema } from './managed-settings.ts'

/**
 * For editors: the settings file as people type it. Every field is optional, because a managed file sets what it likes
 * and the own file is completed by it; what must be there together is said when the file is read.
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
