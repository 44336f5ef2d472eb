import type { SecretStorage } from '../../../shared/ipc/ipc.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'

export const addressSchema = settingsSchema.shape.service.shape.base_url

/**
 * Suggests a valid address for the typed one: adds the scheme, removes path and query. Null if the result is invalid or
 * equals the typed address.
 */
export const suggestAddress = (typed: string): string | null => {
  const compact = typed.replace(/\s+/g, '')
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(compact) ? compact : `https://${compact}`
  if (!URL.canParse(withScheme)) return null
  const url = new URL(withScheme)
  // A single word is probably not a host name.
  if (!url.hostname.includes('.') && url.hostname !== 'localhost') return null
  const candidate = addressSchema.safeParse(`${url.protocol}//${url.host}`)
  return candidate.success && candidate.data !== typed ? candidate.data : null
}

/** Whether a key is stored for the typed address. */
export const hasKeyFor = (storage: SecretStorage | null, typed: string): boolean => {
  const address = addressSchema.safeParse(typed)
  return address.success && storage?.keyFor.includes(address.data) === true
}

/** A note if keys are stored, but none for this address. Otherwise null. */
export const missingKeyNote = (storage: SecretStorage | null, typed: string): string | null => {
  const [other] = storage?.keyFor ?? []
  if (other === undefined || !addressSchema.safeParse(typed).success || hasKeyFor(storage, typed)) return null
  return 'This address needs its own key.'
}
