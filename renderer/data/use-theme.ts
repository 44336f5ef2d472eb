import { useEffect, useState } from 'react'

export type Theme = 'system' | 'light' | 'dark'

export const useTheme = (theme: Theme): void => {
  useEffect(() => {
    document.documentElement.setAttribute('data-theme', theme)
  }, [theme])
}

/**
 * A number that changes with the colour scheme. `ThroughputPlot` then redraws its canvas, which does not follow the
 * style sheet.
 */
export const useColourVersion = (): number => {
  const [version, setVersion] = useState(0)
  useEffect(() => {
    const onChange = () => setVersion((value) => value + 1)
    const system = matchMedia('(prefers-color-scheme: dark)')
    const observer = new MutationObserver(onChange)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    system.addEventListener('change', onChange)
    return () => {
      observer.disconnect()
      system.removeEventListener('change', onChange)
    }
  }, [])
  return version
}
