import { useEffect } from 'react'
import { useAgent } from './AgentView.tsx'

/** Which PC it is, where several windows of several PCs are side by side. */
export const useWindowTitle = (): void => {
  const name = useAgent().status?.station.name ?? null
  useEffect(() => {
    document.title = name === null ? 'Sluice' : `${name} · Sluice`
  }, [name])
}
