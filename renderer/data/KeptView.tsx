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
import { useUnsavedInput } from './use-unsaved-input.ts'

type View = {
  readonly values: readonly (readonly [string, unknown])[]
  readonly scrolled: readonly Scrolled[]
}

type Kept = {
  /** The state of the previous page; cleared when the user navigates. */
  readonly restored: Map<string, unknown>
  /** The current state, by name. */
  readonly shown: Map<string, unknown>
}

const KeptContext = createContext<Kept | null>(null)

const viewIn = (text: string | null): View =>
  text === null ? { values: [], scrolled: [] } : (JSON.parse(text) as View)

/**
 * A hidden window may unload its page to save memory. The page returns in the same state. `useKept` keeps the state of a
 * screen (filters, the open row). Unsaved input cannot be kept, so a page with unsaved input stays loaded.
 */
export function KeptViewProvider({ children }: { readonly children: ReactNode }) {
  const { drafts } = useSettings()
  const isTyped = useUnsavedInput()
  const [kept, setKept] = useState<Kept | null>(null)

  useEffect(() => {
    void ask('takeSavedView').then(({ view, to }) => {
      const { values, scrolled } = viewIn(view)
      const target = to === '' ? [] : [['place', parsePlace(to)] as const]
      const restored = new Map<string, unknown>([...values, ...target])
      setKept({ restored, shown: new Map() })
      // Cleared when the user navigates.
      restoreScroll(scrolled, () => restored.size === 0)
    })
  }, [])

  const leave = useEffectEvent(() => {
    const isOver = document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null
    if (kept === null || drafts.size > 0 || isOver || isTyped()) return
    const view: View = { values: [...kept.shown], scrolled: scrolledNow() }
    void ask('saveView', { view: JSON.stringify(view) })
  })
  useEffect(() => bridge.on.rest(() => leave()), [])

  return kept === null ? null : <KeptContext value={kept}>{children}</KeptContext>
}

const useKeptView = (): Kept => {
  const kept = useContext(KeptContext)
  if (kept === null) throw new Error('useKept outside its provider')
  return kept
}

/** Like `useState`, but the value survives an unloaded page. Each name must be unique. */
export const useKept = <T,>(name: string, initial: () => T): [T, Dispatch<SetStateAction<T>>] => {
  const { restored, shown } = useKeptView()
  const [value, setValue] = useState<T>(() => (restored.has(name) ? (restored.get(name) as T) : initial()))
  useLayoutEffect(() => {
    shown.set(name, value)
    return () => void shown.delete(name)
  }, [shown, name, value])
  return [value, setValue]
}

/** The restored value of this name; null if the page was not restored. */
export const useRestored = <T,>(name: string): T | null => {
  const { restored } = useKeptView()
  return useState(() => (restored.get(name) as T | undefined) ?? null)[0]
}

/** Keeps the page loaded while it has state that cannot be restored, such as a selection. */
export const useKeepPage = (isNeeded: boolean): void => {
  const { drafts } = useSettings()
  const name = useId()
  // A layout effect runs before the change is visible. An effect would leave a moment in which the page may unload.
  useLayoutEffect(() => {
    if (!isNeeded) return
    drafts.set(name, true)
    return () => void drafts.delete(name)
  }, [drafts, isNeeded, name])
}

/** Returns a function that drops the restored state, so that screens start with their defaults. */
export const useForgetRestored = (): (() => void) => {
  const { restored } = useKeptView()
  return useCallback(() => restored.clear(), [restored])
}
