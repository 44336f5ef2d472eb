import { useEffect, useRef } from 'react'
import { useSettings } from './SettingsView.tsx'

const SWITCHES = new Set(['checkbox', 'radio'])

const textFieldOf = (event: Event): HTMLInputElement | HTMLTextAreaElement | null => {
  const { target } = event
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
  // Switches need no protection because they save at once, and filters because they are restored.
  return isField && !SWITCHES.has(target.type) && target.closest('search') === null ? target : null
}

/**
 * Returns a function that is true if a visible field has unsaved input. Saving the settings does not clear a typed key,
 * because the page saves the key separately. So the result may be true too often, but never too rarely.
 */
export const useUnsavedInput = (): (() => boolean) => {
  const { saves } = useSettings()
  const editedFields = useRef(new Set<HTMLInputElement | HTMLTextAreaElement>())

  useEffect(() => {
    const addField = (event: Event) => {
      const field = textFieldOf(event)
      if (field !== null) editedFields.current.add(field)
    }
    document.addEventListener('input', addField, { capture: true })
    return () => document.removeEventListener('input', addField, { capture: true })
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the input was just saved.
  useEffect(() => {
    for (const field of editedFields.current)
      if (field.type !== 'password') editedFields.current.delete(field)
  }, [saves])

  return () => [...editedFields.current].some((field) => field.isConnected && field.value !== '')
}
