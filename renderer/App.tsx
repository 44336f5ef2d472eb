import { useEffect, useState } from 'react'
import type { Status } from '../shared/status.ts'
import { bridge } from './bridge.ts'

export function App() {
  const [status, setStatus] = useState<Status | null>(null)
  useEffect(() => bridge.on.status(setStatus), [])
  return <h1>{status?.station.headline ?? 'Starting…'}</h1>
}
