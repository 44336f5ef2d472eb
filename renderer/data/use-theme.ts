import { useEffect, useState } from 'react'

export type Theme = 'system' | 'light' | 'dark'

export const useTheme = (theme: Theme): void => {
  useEffect(() => {
    document.documentElement.setAttribute('data-theme', theme)
  }, [theme])
}

/** Changes with the colour scheme, for canvas drawings that cannot follow the style sheet. */
export const useColourVersion = (): number => {
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const changed = () => setTurn((value) => value + 1)
    const system = matchMedia('(prefers-color-scheme: dark)')
    const observer = new MutationObserver(changed)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    system.addEventListener('change', changed)
    return () => {
      observer.disconnect()
      system.removeEventListener('change', changed)
    }
  }, [])
  return turn
}
