import {
  isNeverRecording,
  MAX_REMOVAL_NAME_BYTES,
  REMOVING_PREFIX,
} from '../../../shared/paths/system-names.ts'
import { bytesOf, fitName } from './fit-name.ts'

/**
 * The temporary name of a file during its removal. `key` is a random UUID. The name contains the original name,
 * shortened if necessary, in case the journal is lost: see `originalNameOf`. `originalNameOf` must accept the result:
 * otherwise, a scan would take the hidden file for a renamed recording.
 */
export const removalNameFor = (key: string, name: string): string => {
  const prefix = `${REMOVING_PREFIX}${key}~`
  const fittingName = fitName(name, MAX_REMOVAL_NAME_BYTES - bytesOf(prefix))
  return prefix + (isNeverRecording(fittingName) ? `_${fittingName.slice(1)}` : fittingName)
}
