import type { AfterUpload } from '../../../shared/settings/after-upload.ts'
import { parseTypedNumber } from '../../data/field-issues.ts'

const BYTES_PER_GB = 1_000_000_000

/** The text of all fields, even of those for actions that are not selected. */
export type AfterUploadDraft = {
  readonly action: AfterUpload['action']
  readonly days: string
  readonly to: string
  readonly keepFreeGb: string
}

export const keepFilesDraft: AfterUploadDraft = { action: 'keep', days: '30', to: '', keepFreeGb: '' }

export const afterDraftOf = (policy: AfterUpload): AfterUploadDraft => {
  if (policy.action === 'keep') return keepFilesDraft
  return {
    action: policy.action,
    days: String(policy.days),
    to: policy.action === 'move' ? policy.to : '',
    keepFreeGb: policy.keep_free_bytes === undefined ? '' : String(policy.keep_free_bytes / BYTES_PER_GB),
  }
}

/** The rule is not validated yet: the schema checks it like every field of the form. */
export const readAfterUpload = (draft: AfterUploadDraft) => {
  if (draft.action === 'keep') return { action: draft.action }
  const gigabytes = parseTypedNumber(draft.keepFreeGb)
  const limits = {
    days: parseTypedNumber(draft.days) ?? Number.NaN,
    ...(gigabytes === undefined ? {} : { keep_free_bytes: Math.round(gigabytes * BYTES_PER_GB) }),
  }
  return draft.action === 'move'
    ? { action: draft.action, to: draft.to.trim(), ...limits }
    : { action: draft.action, ...limits }
}
