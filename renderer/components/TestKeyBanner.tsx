import { DEMO_SENTENCE, DEMO_STATION } from '../../shared/words/demo-words.ts'
import { TEST_KEY_SENTENCE } from '../../shared/words/test-key-words.ts'
import { useAgent } from '../data/AgentView.tsx'
import { useSandbox } from '../data/use-sandbox.ts'
import { Banner } from './Banner.tsx'

/**
 * Shown while the key is a test key. In the demo, the banner says that everything is simulated. A try-out has no
 * banner, because the overview already explains the built-in sandbox.
 */
export function TestKeyBanner() {
  const { status } = useAgent()
  const isTryOut = useSandbox().state !== 'off'
  if (status?.station.testKey !== true || isTryOut) return null
  const isDemo = status.station.name === DEMO_STATION
  return (
    <div className="main-banner">
      <Banner tone={isDemo ? 'busy' : 'warn'}>{isDemo ? DEMO_SENTENCE : TEST_KEY_SENTENCE}</Banner>
    </div>
  )
}
