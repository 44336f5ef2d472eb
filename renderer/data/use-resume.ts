import { ask } from './ask.ts'
import { useNotices } from './Notices.tsx'

export const useResume = (): (() => void) => {
  const { attempt } = useNotices()
  return () => void attempt(() => ask('resume'), 'Uploads resumed.')
}
