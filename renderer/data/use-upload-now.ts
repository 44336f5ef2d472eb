import { isUnsent } from '../../shared/status/recording-actions.ts'
import type { RecordingRow } from '../../shared/status/status.ts'
import { momentInSentence } from '../../shared/words/format.ts'
import type { IconName } from '../components/Icon.tsx'
import { useAgent } from './AgentView.tsx'
import { ask } from './ask.ts'
import { useNotices } from './Notices.tsx'

type Offer = { readonly word: string; readonly icon: IconName; readonly run: () => Promise<void> }

/**
 * Offers to start or stop uploads outside the upload hours. There are no offers during these hours, or when the offered
 * action would change nothing.
 */
export const useUploadNow = (): {
  readonly ofStation: Offer | null
  readonly ofRecording: (row: Pick<RecordingRow, 'id' | 'state' | 'uploadNow'>) => Offer | null
} => {
  const { status } = useAgent()
  const { showSuccess, showError } = useNotices()
  const station = status?.station
  const opensAt = station?.outsideWindowUntil ?? null

  const cancelUploadNow = async (id: number | null): Promise<string> => {
    await ask('cancelUploadNow', { id })
    return id === null ? 'Uploads wait for the upload hours.' : 'The recording waits for the upload hours.'
  }
  const startUploadNow = async (id: number | null): Promise<void> => {
    try {
      await ask('uploadNow', { id })
      const until = opensAt === null ? '' : ` until ${momentInSentence(opensAt, Date.now())}`
      showSuccess(`Uploading outside the upload hours${until}.`, () => cancelUploadNow(id))
    } catch (error) {
      showError(error)
    }
  }
  const cancelAndShow = (id: number | null) =>
    cancelUploadNow(id).then((sentence) => showSuccess(sentence), showError)

  const createOffer = (id: number | null, isOn: boolean): Offer =>
    isOn
      ? { word: 'Wait for upload hours', icon: 'clock', run: () => cancelAndShow(id) }
      : { word: 'Upload now anyway', icon: 'up-circle', run: () => startUploadNow(id) }

  const isOutsideHours = opensAt !== null
  const isOn = station?.uploadNow?.station === true
  const hasWork = (status?.standings.waiting ?? 0) + (status?.standings.uploading ?? 0) > 0
  return {
    ofStation: isOutsideHours && (isOn || hasWork) ? createOffer(null, isOn) : null,
    ofRecording: ({ id, state, uploadNow }) =>
      isOutsideHours && !isOn && isUnsent(state) ? createOffer(id, uploadNow) : null,
  }
}
