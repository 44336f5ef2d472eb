import type { SecretStorage } from '../../../shared/ipc/ipc.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'

export const addressSchema = settingsSchema.shape.service.shape.base_url

/**
 * Suggests a valid address: adds the scheme, and removes path and query. Null if the result is invalid or equals the
 * typed address.
 */
export const suggestAddress = (typedAddress: string): string | null => {
  const compact = typedAddress.replace(/\s+/g, '')
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(compact) ? compact : `https://${compact}`
  if (!URL.canParse(withScheme)) return null
  const url = new URL(withScheme)
  // A single word is probably not a host name.
  if (!url.hostname.includes('.') && url.hostname !== 'localhost') return null
  const candidate = addressSchema.safeParse(`${url.protocol}//${url.host}`)
  return candidate.success && candidate.data !== typedAddress ? candidate.data : null
}

/** Whether a key is stored for the typed address. */
export const hasKeyFor = (storage: SecretStorage | null, typedAddress: string): boolean => {
  const address = addressSchema.safeParse(typedAddress)
  return address.success && storage?.addressesWithKey.includes(address.data) === true
}

/** A note if there are keys, but none for the typed address. Null if that address is invalid. */
export const missingKeyNote = (storage: SecretStorage | null, typedAddress: string): string | null => {
  const [other] = storage?.addressesWithKey ?? []
  if (
    other === undefined ||
    !addressSchema.safeParse(typedAddress).success ||
    hasKeyFor(storage, typedAddress)
  )
    return null
  return 'This address needs its own key.'
}
