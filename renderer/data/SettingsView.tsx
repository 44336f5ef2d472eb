import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react'
import type { SaveSettingsResult, SettingsState } from '../../shared/ipc/ipc.ts'
import type { DraftSettings, SettingsInput } from '../../shared/settings/settings.ts'
import { asSentence } from '../../shared/words/issue-sentence.ts'
import { bridge } from '../bridge.ts'
import { ask } from './ask.ts'
import { ShownError } from './shown-error.ts'

type Change = (settings: DraftSettings) => SettingsInput

type View = {
  readonly state: SettingsState | null
  /** The number of saves by this page, without those of other windows and programs. */
  readonly saveCount: number
  /** Applies the change to the newest stored settings, so that two screens cannot overwrite each other's fields. */
  readonly save: (change: Change) => Promise<SaveSettingsResult>
  /** Like `save`, but throws a message for the user if Sluice refuses the settings. */
  readonly saveOrThrow: (change: Change) => Promise<void>
  /**
   * Unsaved form input by section, so that it survives a visit to another screen. The page stays loaded while this map
   * has entries, so `usePreventUnload` adds entries of its own.
   */
  readonly drafts: Map<string, unknown>
}

const SettingsContext = createContext<View | null>(null)

export function SettingsProvider({ children }: { readonly children: ReactNode }) {
  const [state, setState] = useState<SettingsState | null>(null)
  const [saveCount, setSaveCount] = useState(0)
  const [drafts] = useState(() => new Map<string, unknown>())

  useEffect(() => {
    void bridge.call.getSettings().then((answer) => answer.ok && setState(answer.value))
    return bridge.on.settings(setState)
  }, [])

  const lastSave = useRef<Promise<unknown>>(Promise.resolve())
  const save = useCallback<View['save']>((change) => {
    const run = async () => {
      const storedState = await ask('getSettings')
      const result = await ask('saveSettings', change(storedState.settings))
      if (!result.ok) return result
      setState(await ask('getSettings'))
      setSaveCount((count) => count + 1)
      return result
    }
    // One save at a time: two saves that read the same settings would overwrite each other's changes.
    const saving = lastSave.current.then(run, run)
    lastSave.current = saving
    return saving
  }, [])
  const saveOrThrow = useCallback<View['saveOrThrow']>(
    async (change) => {
      const result = await save(change)
      if (result.ok) return
      // Imported late, because the first paint does not need this code.
      const { placeInWords } = await import('../../shared/settings/settings-words.ts')
      const sentences = result.issues.map(
        ({ path, message }) => `${placeInWords(path.split('.'))}: ${asSentence(message)}`,
      )
      throw new ShownError(sentences.join(' '))
    },
    [save],
  )

  return <SettingsContext value={{ state, saveCount, save, saveOrThrow, drafts }}>{children}</SettingsContext>
}

export const useSettings = (): View => {
  const view = useContext(SettingsContext)
  if (view === null) throw new Error('useSettings outside its provider')
  return view
}
