import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react'
import { Button } from '../components/Button.tsx'
import { Icon } from '../components/Icon.tsx'
import { useShortcut } from './shortcuts.ts'
import { sentenceOf } from './shown-error.ts'

/** Undoes the last action and returns a sentence about the result. */
type Undo = () => Promise<string>
type Notice = { readonly tone: 'good' | 'bad'; readonly sentence: string; readonly undo?: Undo }
type Notices = {
  /** Shows the result of an action. */
  readonly showSuccess: (sentence: string, undo?: Undo) => void
  /** Shows the error of an action. */
  readonly showError: (error: unknown) => void
  /** Shows why an action is not possible. */
  readonly showRefusal: (sentence: string) => void
  /** Runs an action, then shows the sentence or the error. True if the action succeeded. */
  readonly attempt: (act: () => Promise<unknown>, successSentence: string) => Promise<boolean>
}

const NoticeContext = createContext<Notices | null>(null)
const SHOWN_FOR_MS = 6_000
/** Enough time to read the notice and to reach its Undo button. */
const UNDO_SHOWN_FOR_MS = 15_000

/** Shows the result of the last action. An error stays until the user closes it or the next result replaces it. */
export function NoticeProvider({ children }: { readonly children: ReactNode }) {
  const [notice, setNotice] = useState<Notice | null>(null)
  /** True while the user hovers over or focuses the notice. */
  const [isHeldOpen, setHeldOpen] = useState(false)
  const noticePlace = useRef<HTMLDivElement>(null)

  // The content of the page ends above the notice, so that the notice never covers a control.
  useEffect(() => {
    const element = noticePlace.current
    if (element === null) return
    const observer = new ResizeObserver(() =>
      document.documentElement.style.setProperty('--notice-height', `${element.offsetHeight}px`),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  useEffect(() => {
    if (notice?.tone !== 'good' || isHeldOpen) return
    const shownForMs = notice.undo === undefined ? SHOWN_FOR_MS : UNDO_SHOWN_FOR_MS
    const timer = setTimeout(() => setNotice(null), shownForMs)
    return () => clearTimeout(timer)
  }, [notice, isHeldOpen])

  const showSuccess = useCallback<Notices['showSuccess']>(
    (sentence, undo) => setNotice({ tone: 'good', sentence, ...(undo === undefined ? {} : { undo }) }),
    [],
  )
  const showError = useCallback(
    (error: unknown) => setNotice({ tone: 'bad', sentence: sentenceOf(error) }),
    [],
  )
  const showRefusal = useCallback((sentence: string) => setNotice({ tone: 'bad', sentence }), [])
  const attempt = useCallback(
    async (act: () => Promise<unknown>, sentence: string) => {
      try {
        await act()
        showSuccess(sentence)
        return true
      } catch (error) {
        showError(error)
        return false
      }
    },
    [showSuccess, showError],
  )

  const undo = notice?.undo
  const undoLast = async () => {
    if (undo === undefined) return
    setNotice(null)
    setHeldOpen(false)
    try {
      showSuccess(await undo())
    } catch (error) {
      showError(error)
    }
  }
  useShortcut({ key: 'z', withCommand: true }, () => void undoLast())
  const close = () => {
    setNotice(null)
    setHeldOpen(false)
  }

  return (
    <NoticeContext value={{ showSuccess, showError, showRefusal, attempt }}>
      {children}
      <div
        ref={noticePlace}
        className="notice-place"
        role="status"
        onPointerEnter={() => setHeldOpen(true)}
        onPointerLeave={() => setHeldOpen(false)}
        onFocus={() => setHeldOpen(true)}
        onBlur={() => setHeldOpen(false)}
      >
        {notice !== null && (
          <div className={`notice tone-${notice.tone}`}>
            <Icon name={notice.tone === 'good' ? 'check-circle' : 'octagon'} />
            <span className="notice-text">{notice.sentence}</span>
            {undo !== undefined && (
              <Button size="small" onPress={() => void undoLast()}>
                Undo
              </Button>
            )}
            <Button look="quiet" size="small" icon="close" label="Close" onPress={close} />
          </div>
        )}
      </div>
    </NoticeContext>
  )
}

export const useNotices = (): Notices => {
  const notices = useContext(NoticeContext)
  if (notices === null) throw new Error('useNotices outside its provider')
  return notices
}
