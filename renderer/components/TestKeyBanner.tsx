import { TEST_KEY_SENTENCE } from '../../shared/words/test-key-words.ts'
import { useAgent } from '../data/AgentView.tsx'
import { useSandbox } from '../data/use-sandbox.ts'
import { Banner } from './Banner.tsx'

/** Stays as long as the key is a test key. In a try-out, the overview explains the built-in sandbox instead. */
export function TestKeyBanner() {
  const { status } = useAgent()
  const isTryOut = useSandbox().state !== 'off'
  if (status?.station.testKey !== true || isTryOut) return null
  return (
    <div className="main-banner">
      <Banner tone="warn">{TEST_KEY_SENTENCE}</Banner>
    </div>
  )
}
