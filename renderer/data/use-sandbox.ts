import { useEffect, useState } from 'react'
import type { SandboxHealth } from '../../shared/ipc/ipc.ts'
import { bridge } from '../bridge.ts'

/** The state of the embedded sandbox; `off` if the station does not use it. */
export const useSandbox = (): SandboxHealth => {
  const [health, setHealth] = useState<SandboxHealth>({ state: 'off' })
  useEffect(() => {
    void bridge.call.getSandboxHealth().then((answer) => answer.ok && setHealth(answer.value))
    return bridge.on.sandboxHealth(setHealth)
  }, [])
  return health
}
