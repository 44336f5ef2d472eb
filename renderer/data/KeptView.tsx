import {
  createContext,
  type Dispatch,
  type ReactNode,
  type SetStateAction,
  useCallback,
  useContext,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useState,
} from 'react'
import { bridge } from '../bridge.ts'
import { parsePlace } from '../navigation.ts'
import { ask } from './ask.ts'
import { restoreScroll, type Scrolled, scrolledNow } from './kept-scroll.ts'
import { useSettings } from './SettingsView.tsx'
import { useTyped } from './use-typed.ts'

type View = {
  readonly values: readonly (readonly [string, unknown])[]
  readonly scrolled: readonly Scrolled[]
}

type Kept = {
  /** What the page before this one left; empty once the person has gone elsewhere. */
  readonly restored: Map<string, unknown>
  /** What is on the screen now, by name. */
  readonly shown: Map<string, unknown>
}

const KeptContext = createContext<Kept | null>(null)

const viewIn = (text: string | null): View =>
  text === null ? { values: [], scrolled: [] } : (JSON.parse(text) as View)

/**
 * The page of a window that nobody sees may be let go, and comes back where it was. What a screen shows besides what the
 * station says (filters, the open row) is held by `useKept`. What was typed and not saved is handed to nobody: the page
 * stays then.
 */
export function KeptViewProvider({ children }: { readonly children: ReactNode }) {
  const { drafts } = useSettings()
  const isTyped = useTyped()
  const [kept, setKept] = useState<Kept | null>(null)

  useEffect(() => {
    void ask('takeView').then(({ view, to }) => {
      const { values, scrolled } = viewIn(view)
      const asked = to === '' ? [] : [['place', parsePlace(to)] as const]
      const restored = new Map<string, unknown>([...values, ...asked])
      setKept({ restored, shown: new Map() })
      // Emptied once the person has gone elsewhere.
      restoreScroll(scrolled, () => restored.size === 0)
    })
  }, [])

  const leave = useEffectEvent(() => {
    const isOver = document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null
    if (kept === null || drafts.size > 0 || isOver || isTyped()) return
    const view: View = { values: [...kept.shown], scrolled: scrolledNow() }
    void ask('keepView', { view: JSON.stringify(view) })
  })
  useEffect(() => bridge.on.rest(() => leave()), [])

  return kept === null ? null : <KeptContext value={kept}>{children}</KeptContext>
}

const useKeptView = (): Kept => {
  const kept = useContext(KeptContext)
  if (kept === null) throw new Error('useKept outside its provider')
  return kept
}

/** As `useState`, for what should be as it was when the window comes back. One name for each thing on a screen. */
export const useKept = <T,>(name: string, initial: () => T): [T, Dispatch<SetStateAction<T>>] => {
  const { restored, shown } = useKeptView()
  const [value, setValue] = useState<T>(() => (restored.has(name) ? (restored.get(name) as T) : initial()))
  useLayoutEffect(() => {
    shown.set(name, value)
    return () => void shown.delete(name)
  }, [shown, name, value])
  return [value, setValue]
}

/** What came back with the page under this name, and stands where it stood; null where nothing did. */
export const useCameBack = <T,>(name: string): T | null => {
  const { restored } = useKeptView()
  return useState(() => (restored.get(name) as T | undefined) ?? null)[0]
}

/** Something that cannot be handed on while it lasts, such as rows that are selected. */
export const useNotKept = (isThere: boolean): void => {
  const { drafts } = useSettings()
  const name = useId()
  // With the change itself: what can be seen is counted already.
  useLayoutEffect(() => {
    if (!isThere) return
    drafts.set(name, true)
    return () => void drafts.delete(name)
  }, [drafts, isThere, name])
}

/** From here on screens begin as they always do. */
export const useForgetRestored = (): (() => void) => {
  const { restored } = useKeptView()
  return useCallback(() => restored.clear(), [restored])
}
