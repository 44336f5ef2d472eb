import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import type { AgentHealth } from '../../shared/ipc/agent-health.ts'
import type { Status } from '../../shared/status/status.ts'
import { bridge } from '../bridge.ts'

type View = { readonly status: Status | null; readonly health: AgentHealth }

const AgentContext = createContext<View>({ status: null, health: { state: 'starting', restarts: 0 } })

/** Keeps showing the last status while the agent restarts. */
export function AgentProvider({ children }: { readonly children: ReactNode }) {
  const [status, setStatus] = useState<Status | null>(null)
  const [health, setHealth] = useState<AgentHealth>({ state: 'starting', restarts: 0 })

  useEffect(() => {
    const removeStatusListener = bridge.on.status(setStatus)
    const removeHealthListener = bridge.on.agentHealth(setHealth)
    void bridge.call.getAgentHealth().then((answer) => answer.ok && setHealth(answer.value))
    return () => {
      removeStatusListener()
      removeHealthListener()
    }
  }, [])

  useEffect(() => {
    if (health.state !== 'running') return
    void bridge.call.getStatus().then((answer) => {
      if (!answer.ok) return
      // Keep a newer status that the agent has pushed in the meantime.
      setStatus((current) => (current !== null && current.at > answer.value.at ? current : answer.value))
    })
  }, [health.state])

  return <AgentContext value={{ status, health }}>{children}</AgentContext>
}

export const useAgent = (): View => useContext(AgentContext)
