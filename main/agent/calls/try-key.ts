import { isLiveKey, isTestKey } from '../../../shared/contract/api-key.ts'
import type { SystemProxy } from '../../../shared/ipc/agent-protocol.ts'
import type { KeyVerdict } from '../../../shared/ipc/key-verdict.ts'
import type { ServiceSettings } from '../../../shared/settings/settings.ts'
import type { Clock, Log, Random } from '../ports/clock.ts'
import { connectService } from '../station/service-connection.ts'
import { sentenceOf } from './failure-sentence.ts'

/** Tests a key without creating anything. Also returns the difference between the two clocks. */
export const tryKey = async (
  settings: ServiceSettings,
  apiKey: string,
  systemProxy: SystemProxy,
  world: { readonly clock: Clock; readonly random: Random; readonly log: Log },
  signal: AbortSignal,
): Promise<{ readonly verdict: KeyVerdict; readonly clockOffsetMs: number | null }> => {
  const live = isLiveKey(apiKey) ? true : isTestKey(apiKey) ? false : null
  const client = connectService(settings, apiKey, systemProxy, world)
  try {
    const outcome = await client.testKey(signal)
    const findVerdict = (): KeyVerdict => {
      if (outcome.ok) return { kind: outcome.value, live }
      const { failure } = outcome
      if (failure.kind === 'auth') return { kind: 'wrong', live }
      if (failure.kind === 'unreadable-answer' || failure.kind === 'foreign-answer')
        return { kind: 'unreadable-answer', live }
      return { kind: 'unreachable', live, detail: sentenceOf(failure) }
    }
    return { verdict: findVerdict(), clockOffsetMs: client.clockOffsetMs() }
  } finally {
    await client.close()
  }
}
