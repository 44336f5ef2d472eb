import type { SecretStorage } from '../../../shared/ipc.ts'
import { settingsSchema } from '../../../shared/settings.ts'

export const addressSchema = settingsSchema.shape.service.shape.base_url

/** The address that was probably meant: scheme added, path and query taken off. Null when that is not right either. */
export const suggestAddress = (typed: string): string | null => {
  const compact = typed.replace(/\s+/g, '')
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(compact) ? compact : `https://${compact}`
  if (!URL.canParse(withScheme)) return null
  const url = new URL(withScheme)
  // A bare word is more likely a search or a password than the name of a host.
  if (!url.hostname.includes('.') && url.hostname !== 'localhost') return null
  const candidate = addressSchema.safeParse(`${url.protocol}//${url.host}`)
  return candidate.success && candidate.data !== typed ? candidate.data : null
}

/** Whether a key is kept for what was typed. False for what is no address yet. */
export const hasKeyFor = (storage: SecretStorage | null, typed: string): boolean => {
  const address = addressSchema.safeParse(typed)
  return address.success && storage?.keyFor.includes(address.data) === true
}

/** Said beside an address whose key is not here while another one's is; null where there is nothing to say. */
export const keyOfAnotherAddress = (storage: SecretStorage | null, typed: string): string | null => {
  const [other] = storage?.keyFor ?? []
  if (other === undefined || !addressSchema.safeParse(typed).success || hasKeyFor(storage, typed)) return null
  return 'This address needs its own key.'
}
