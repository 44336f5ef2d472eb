import { useEffect } from 'react'
import { useAgent } from './AgentView.tsx'

/** Names the station in the title, because one monitor may show the windows of several PCs. */
export const useWindowTitle = (): void => {
  const name = useAgent().status?.station.name ?? null
  useEffect(() => {
    document.title = name === null ? 'Sluice' : `${name} · Sluice`
  }, [name])
}
