import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react'
import { Button } from '../components/Button.tsx'
import { Icon } from '../components/Icon.tsx'
import { sentenceOf } from './ask.ts'

type Notice = { readonly tone: 'good' | 'bad'; readonly sentence: string }
type Tell = {
  readonly done: (sentence: string) => void
  readonly failed: (error: unknown) => void
  /** What the person did cannot be done, and why. */
  readonly refused: (sentence: string) => void
  /** Runs an act and says how it went. True when it was done. */
  readonly attempt: (act: () => Promise<unknown>, done: string) => Promise<boolean>
}

const NoticeContext = createContext<Tell | null>(null)
const SHOWN_FOR_MS = 6_000

/** What became of the last act, in one line. Failures stay until closed; the rest goes by itself. */
export function NoticeProvider({ children }: { readonly children: ReactNode }) {
  const [notice, setNotice] = useState<Notice | null>(null)

  useEffect(() => {
    if (notice?.tone !== 'good') return
    const timer = setTimeout(() => setNotice(null), SHOWN_FOR_MS)
    return () => clearTimeout(timer)
  }, [notice])

  const done = useCallback((sentence: string) => setNotice({ tone: 'good', sentence }), [])
  const failed = useCallback((error: unknown) => setNotice({ tone: 'bad', sentence: sentenceOf(error) }), [])
  const refused = useCallback((sentence: string) => setNotice({ tone: 'bad', sentence }), [])
  const attempt = useCallback(
    async (act: () => Promise<unknown>, sentence: string) => {
      try {
        await act()
        done(sentence)
        return true
      } catch (error) {
        failed(error)
        return false
      }
    },
    [done, failed],
  )

  return (
    <NoticeContext value={{ done, failed, refused, attempt }}>
      {children}
      <div className="notice-place" role="status">
        {notice !== null && (
          <div className={`notice tone-${notice.tone}`}>
            <Icon name={notice.tone === 'good' ? 'check-circle' : 'octagon'} />
            <span className="notice-text">{notice.sentence}</span>
            <Button look="quiet" size="small" icon="close" label="Close" onPress={() => setNotice(null)} />
          </div>
        )}
      </div>
    </NoticeContext>
  )
}

export const useNotices = (): Tell => {
  const tell = useContext(NoticeContext)
  if (tell === null) throw new Error('useNotices outside its provider')
  return tell
}
