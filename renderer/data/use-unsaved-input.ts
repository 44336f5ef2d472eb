import { useEffect, useRef } from 'react'
import { useSettings } from './SettingsView.tsx'

const SWITCHES = new Set(['checkbox', 'radio'])

const textFieldOf = (event: Event): HTMLInputElement | HTMLTextAreaElement | null => {
  const { target } = event
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
  // Switches do not count: they save at once, or their form has a draft. Filters do not count: the page restores them.
  return isField && !SWITCHES.has(target.type) && target.closest('search') === null ? target : null
}

/**
 * Returns a function that checks the page for fields with unsaved input. A typed key still counts as unsaved after the
 * settings are saved, because the page saves the key separately. The function may return true without need, because
 * lost input is worse than a page that stays loaded.
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
    for (const field of editedFields.current)
      if (field.type !== 'password') editedFields.current.delete(field)
  }, [saveCount])

  return () => [...editedFields.current].some((field) => field.isConnected && field.value !== '')
}
