import { useEffect, useEffectEvent } from 'react'

const nonTextInputTypes = new Set([
  'button',
  'checkbox',
  'radio',
  'range',
  'submit',
  'reset',
  'file',
  'color',
  'image',
])

/** Shortcuts are off while the user types in a field. */
const isTextField = (target: EventTarget | null): boolean => {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !nonTextInputTypes.has(target.type)
  return target.isContentEditable || target.matches('textarea, select, [role="textbox"], [role="searchbox"]')
}

/** Shortcuts are off while a dialog or menu is open. */
const isCovered = (): boolean =>
  document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]') !== null

export const isMac = /mac/i.test(navigator.userAgent)

type Shortcut = { readonly key: string; readonly withCommand?: boolean }

/** A shortcut for the whole window; `withCommand` adds Ctrl, or Cmd on a Mac. */
export const useShortcut = ({ key, withCommand = false }: Shortcut, act: () => void): void => {
  const run = useEffectEvent(act)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== key || event.altKey || event.defaultPrevented) return
      if ((event.ctrlKey || event.metaKey) !== withCommand) return
      if (isTextField(event.target) || isCovered()) return
      event.preventDefault()
      run()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [key, withCommand])
}
