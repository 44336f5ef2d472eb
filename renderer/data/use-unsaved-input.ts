import { useEffect, useRef } from 'react'
import { useSettings } from './SettingsView.tsx'

const SWITCHES = new Set(['checkbox', 'radio'])
/** The types of the fields for keys and tokens, and for the secret URLs of alerts and heartbeats. */
const SECRETS = new Set(['password', 'url'])

const textFieldOf = (event: Event): HTMLInputElement | HTMLTextAreaElement | null => {
  const { target } = event
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
  // Neither switches nor filters count. Switches save at once, or their form has a draft. The page restores filters.
  return isField && !SWITCHES.has(target.type) && target.closest('search') === null ? target : null
}

/**
 * Returns a function that checks the page for fields with unsaved input. A typed secret counts as unsaved even after
 * the settings are saved, because the page saves secrets separately. If in doubt, the function returns true: lost input
 * is worse than a page that stays loaded.
 */
export const useUnsavedInput = (): (() => boolean) => {
  const { saveCount } = useSettings()
  const editedFields = useRef(new Set<HTMLInputElement | HTMLTextAreaElement>())

  useEffect(() => {
    const addField = (event: Event) => {
      const field = textFieldOf(event)
      if (field !== null) editedFields.current.add(field)
    }
    document.addEventListener('input', addField, { capture: true })
    return () => document.removeEventListener('input', addField, { capture: true })
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new `saveCount` means that the input was just saved.
  useEffect(() => {
    for (const field of editedFields.current) if (!SECRETS.has(field.type)) editedFields.current.delete(field)
  }, [saveCount])

  return () => [...editedFields.current].some((field) => field.isConnected && field.value !== '')
}
