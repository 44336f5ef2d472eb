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
  /** The values that the page saved before Sluice unloaded it, by name. Navigation clears them. */
  readonly restoredValues: Map<string, unknown>
  /** The current values, by name. */
  readonly currentValues: Map<string, unknown>
}

const SavedViewContext = createContext<SavedView | null>(null)

const parseView = (text: string | null): View =>
  text === null ? { values: [], scrollPositions: [] } : (JSON.parse(text) as View)

/**
 * Sluice unloads the page of a hidden window to save memory. When the window opens again, the page restores the state
 * that `useSavedState` kept, such as filters and the open row. A page with unsaved form input stays loaded.
 */
export function SavedViewProvider({ children }: { readonly children: ReactNode }) {
  const { drafts } = useSettings()
  const hasUnsavedInput = useUnsavedInput()
  const [savedView, setSavedView] = useState<SavedView | null>(null)

  useEffect(() => {
    void ask('takeSavedView').then(({ view, to }) => {
      const { values, scrollPositions } = parseView(view)
      const target = to === '' ? [] : [['place', parsePlace(to)] as const]
      const restoredValues = new Map<string, unknown>([...values, ...target])
      setSavedView({ restoredValues, currentValues: new Map() })
      // Navigation clears `restoredValues`, which ends the scrolling.
      restoreScroll(scrollPositions, () => restoredValues.size === 0)
    })
  }, [])

  const saveView = useEffectEvent(() => {
    const hasOverlay = document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null
    if (savedView === null || drafts.size > 0 || hasOverlay || hasUnsavedInput()) return
    const view: View = { values: [...savedView.currentValues], scrollPositions: readScrollPositions() }
    void ask('saveView', { view: JSON.stringify(view) })
  })
  useEffect(() => bridge.on.unloadRequest(() => saveView()), [])

  return savedView === null ? null : <SavedViewContext value={savedView}>{children}</SavedViewContext>
}

const useSavedView = (): SavedView => {
  const savedView = useContext(SavedViewContext)
  if (savedView === null) throw new Error('useSavedState outside its provider')
  return savedView
}

/** Like `useState`, but the value survives unloading the page. Each name must be unique. */
export const useSavedState = <T,>(name: string, initial: () => T): [T, Dispatch<SetStateAction<T>>] => {
  const { restoredValues, currentValues } = useSavedView()
  const [value, setValue] = useState<T>(() =>
    restoredValues.has(name) ? (restoredValues.get(name) as T) : initial(),
  )
  useLayoutEffect(() => {
    currentValues.set(name, value)
    return () => void currentValues.delete(name)
  }, [currentValues, name, value])
  return [value, setValue]
}

/** Null if the page was not restored, or if the user has navigated since then. */
export const useRestoredValue = <T,>(name: string): T | null => {
  const { restoredValues } = useSavedView()
  return useState(() => (restoredValues.get(name) as T | undefined) ?? null)[0]
}

/** Keeps the page loaded while it has state that cannot be restored, such as a selection. */
export const usePreventUnload = (isNeeded: boolean): void => {
  const { drafts } = useSettings()
  const name = useId()
  // An ordinary effect runs later, so the page might unload before it.
  useLayoutEffect(() => {
    if (!isNeeded) return
    drafts.set(name, true)
    return () => void drafts.delete(name)
  }, [drafts, isNeeded, name])
}

/** After clearing, screens start with their defaults. */
export const useClearRestoredValues = (): (() => void) => {
  const { restoredValues } = useSavedView()
  return useCallback(() => restoredValues.clear(), [restoredValues])
}
