import { useState } from 'react'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { useSettings } from '../../data/SettingsView.tsx'
import { useSandbox } from '../../data/use-sandbox.ts'
import type { Place } from '../../navigation.ts'

/** Reminds the user that the service is the built-in sandbox. Offers a restart if the sandbox has stopped. */
export function SandboxBanner({ goTo }: { readonly goTo: (place: Place) => void }) {
  const health = useSandbox()
  const { state } = useSettings()
  const { attempt } = useNotices()
  const [busy, setBusy] = useState(false)
  if (health.state === 'off') return null
  if (health.state === 'running')
    return health.baseUrl !== state?.settings.service?.base_url ? null : (
      <Banner
        tone="busy"
        action={
          <Button size="small" onPress={() => goTo({ screen: 'service' })}>
            Enter your service
          </Button>
        }
      >
        You are trying Sluice with the built-in sandbox. Uploads stay on this PC.
      </Banner>
    )

  const start = async () => {
    setBusy(true)
    await attempt(() => ask('startSandbox'), 'The sandbox is running.')
    setBusy(false)
  }
  return (
    <Banner
      tone="warn"
      action={
        <Button size="small" busy={busy} onPress={() => void start()}>
          Restart the sandbox
        </Button>
      }
    >
      The built-in sandbox has stopped. {health.reason} Recordings are queued; nothing is lost.
    </Banner>
  )
}
