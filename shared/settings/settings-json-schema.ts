import { z } from 'zod'
import { managedSettingsSchema } from './managed-settings.ts'

/**
 * The JSON schema of the settings file, for editors. Nothing is required, because a station's own file and the managed
 * file complete each other.
 */
export const settingsJsonSchema = (): string => {
  const schema = z.toJSONSchema(managedSettingsSchema, { io: 'input', unrepresentable: 'any' })
  const titledSchema = {
    ...schema,
    title: 'Settings of Sluice',
    description:
      'For a station’s own settings file and for managed settings. Only managed settings may have updates.feed_key.',
  }
  return `${JSON.stringify(titledSchema, null, 2)}\n`
}
