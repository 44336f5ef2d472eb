import { useState } from 'react'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { useSandbox } from '../../data/use-sandbox.ts'

/** "The service cannot be reached" is no help where the service was this very app. */
export function SandboxBanner() {
  const health = useSandbox()
  const { attempt } = useNotices()
  const [busy, setBusy] = useState(false)
  if (health.state !== 'stopped') return null

  const start = async () => {
    setBusy(true)
    await attempt(() => ask('startSandbox'), 'The sandbox runs again.')
    setBusy(false)
  }
  return (
    <Banner
      tone="warn"
      action={
        <Button size="small" busy={busy} onPress={() => void start()}>
          Start it again
        </Button>
      }
    >
      The built-in sandbox has stopped. {health.reason} Recordings wait; nothing is lost.
    </Banner>
  )
}
