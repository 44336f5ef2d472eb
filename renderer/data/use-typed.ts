import { useEffect, useRef } from 'react'
import { useSettings } from './SettingsView.tsx'

const SWITCHES = new Set(['checkbox', 'radio'])

const fieldOf = (event: Event): HTMLInputElement | HTMLTextAreaElement | null => {
  const { target } = event
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
  // Switches take effect at once, and filters are handed on with the rest of the screen.
  return isField && !SWITCHES.has(target.type) && target.closest('search') === null ? target : null
}

/**
 * Whether a field that is still on the screen holds what somebody typed. It rather says so once too often: what was
 * typed into a form is saved with the settings, but a key is not.
 */
export const useTyped = (): (() => boolean) => {
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed is saved now.
  useEffect(() => {
    for (const field of typed.current) if (field.type !== 'password') typed.current.delete(field)
  }, [saves])

  return () => [...typed.current].some((field) => field.isConnected && field.value !== '')
}
