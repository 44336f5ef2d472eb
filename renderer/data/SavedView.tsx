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
import { useSettings } from './SettingsView.tsx'
import { readScrollPositions, restoreScroll, type ScrollPosition } from './scroll-positions.ts'
import { useUnsavedInput } from './use-unsaved-input.ts'

type View = {
  readonly values: readonly (readonly [string, unknown])[]
  readonly scrollPositions: readonly ScrollPosition[]
}

type SavedView = {
  /** The state of the previous page. Cleared when the user navigates. */
  readonly restored: Map<string, unknown>
  /** The current state, by name. */
  readonly current: Map<string, unknown>
}

const SavedViewContext = createContext<SavedView | null>(null)

const parseView = (text: string | null): View =>
  text === null ? { values: [], scrollPositions: [] } : (JSON.parse(text) as View)

/**
 * A hidden window may unload its page to save memory. The page returns in the same state. `useSavedState` saves the state
 * of a screen (filters, the open row). Unsaved input cannot be saved, so a page with unsaved input stays loaded.
 */
export function SavedViewProvider({ children }: { readonly children: ReactNode }) {
  const { drafts } = useSettings()
  const hasUnsavedInput = useUnsavedInput()
  const [saved, setSaved] = useState<SavedView | null>(null)

  useEffect(() => {
    void ask('takeSavedView').then(({ view, to }) => {
      const { values, scrollPositions } = parseView(view)
      const target = to === '' ? [] : [['place', parsePlace(to)] as const]
      const restored = new Map<string, unknown>([...values, ...target])
      setSaved({ restored, current: new Map() })
      // Navigation clears `restored` and so ends the scrolling.
      restoreScroll(scrollPositions, () => restored.size === 0)
    })
  }, [])

  const leave = useEffectEvent(() => {
    const hasOverlay = document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null
    if (saved === null || drafts.size > 0 || hasOverlay || hasUnsavedInput()) return
    const view: View = { values: [...saved.current], scrollPositions: readScrollPositions() }
    void ask('saveView', { view: JSON.stringify(view) })
  })
  useEffect(() => bridge.on.rest(() => leave()), [])

  return saved === null ? null : <SavedViewContext value={saved}>{children}</SavedViewContext>
}

const useSavedView = (): SavedView => {
  const saved = useContext(SavedViewContext)
  if (saved === null) throw new Error('useSavedState outside its provider')
  return saved
}

/** Like `useState`, but the value survives unloading the page. Each name must be unique. */
export const useSavedState = <T,>(name: string, initial: () => T): [T, Dispatch<SetStateAction<T>>] => {
  const { restored, current } = useSavedView()
  const [value, setValue] = useState<T>(() => (restored.has(name) ? (restored.get(name) as T) : initial()))
  useLayoutEffect(() => {
    current.set(name, value)
    return () => void current.delete(name)
  }, [current, name, value])
  return [value, setValue]
}

/** The restored value with this name. Null if the page was not restored. */
export const useRestoredValue = <T,>(name: string): T | null => {
  const { restored } = useSavedView()
  return useState(() => (restored.get(name) as T | undefined) ?? null)[0]
}

/** Keeps the page loaded while it has state that cannot be restored, such as a selection. */
export const usePreventUnload = (isNeeded: boolean): void => {
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
  const { restored } = useSavedView()
  return useCallback(() => restored.clear(), [restored])
}
