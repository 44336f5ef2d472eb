import { useEffect, useRef } from 'react'
import { useSettings } from './SettingsView.tsx'

const SWITCHES = new Set(['checkbox', 'radio'])

const fieldOf = (event: Event): HTMLInputElement | HTMLTextAreaElement | null => {
  const { target } = event
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
  // Switches need no protection because they save at once, and filters because they are restored.
  return isField && !SWITCHES.has(target.type) && target.closest('search') === null ? target : null
}

/**
 * Whether a visible field has unsaved input. Saving the settings does not clear a typed key, which is saved separately. So
 * the result may be true too often, but never too rarely.
 */
export const useUnsavedInput = (): (() => boolean) => {
  const { saves } = useSettings()
  const typed = useRef(new Set<HTMLInputElement | HTMLTextAreaElement>())

  useEffect(() => {
    const note = (event: Event) => {
      const field = fieldOf(event)
      if (field !== null) typed.current.add(field)
    }
    document.addEventListener('input', note, { capture: true })
    return () => document.removeEventListener('input', note, { capture: true })
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the input was just saved.
  useEffect(() => {
    for (const field of typed.current) if (field.type !== 'password') typed.current.delete(field)
  }, [saves])

  return () => [...typed.current].some((field) => field.isConnected && field.value !== '')
}
