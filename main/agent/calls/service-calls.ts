import type { KeyVerdict } from '../../../shared/ipc/key-verdict.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { summaryOf } from '../domain/session-summary.ts'
import type { Clock, Log, Random } from '../ports/clock.ts'
import type { ServiceClient } from '../ports/service.ts'
import {
  FILE_BEING_REMOVED,
  intendDeletion,
  noteDeletion,
  wasDeletionRefused,
} from '../sessions/session-deletion.ts'
import { CallRefusedError } from './call-refused.ts'
import type { AgentCalls, CallableAgent } from './callable-agent.ts'
import { sentenceOf } from './failure-sentence.ts'
import { registerWebhook } from './register-webhook.ts'
import { tryKey } from './try-key.ts'

const REQUEST_TIMEOUT_MS = 20_000

export const requestTimeout = (): AbortSignal => AbortSignal.timeout(REQUEST_TIMEOUT_MS)

/** The calls that send a request to the service. */
export const createServiceCalls = (
  agent: CallableAgent,
  world: { readonly clock: Clock; readonly random: Random; readonly log: Log },
): Pick<
  AgentCalls,
  'listSessions' | 'getSession' | 'deleteSession' | 'testKey' | 'createWebhookEndpoint'
> => {
  const { journal } = agent

  const service = (): ServiceClient => {
    if (agent.service === null) throw new CallRefusedError('Set the service address and a key first.')
    return agent.service
  }

  const testKey = async (baseUrl: string, typedKey: string | undefined): Promise<KeyVerdict> => {
    const address = settingsSchema.shape.service.shape.base_url.safeParse(baseUrl)
    if (!address.success)
      throw new CallRefusedError(address.error.issues[0]?.message ?? 'The address is not valid.')
    const key = typedKey ?? agent.keyFor(address.data)
    if (key === null) throw new CallRefusedError('Enter the key for this address.')
    const settings = settingsSchema.shape.service.parse({
      ...agent.settings?.service,
      base_url: address.data,
    })
    return (await tryKey(settings, key, agent.systemProxy, world, requestTimeout())).verdict
  }

  return {
    listSessions: async ({ cursor, site, status, createdFrom, createdBefore, limit: pageSize }) => {
      const answer = await service().listSessions(
        {
          limit: pageSize,
          ...(cursor === undefined ? {} : { cursor }),
          ...(site === undefined ? {} : { site }),
          ...(status === undefined ? {} : { status }),
          ...(createdFrom === undefined ? {} : { createdFrom }),
          ...(createdBefore === undefined ? {} : { createdBefore }),
        },
        requestTimeout(),
      )
      if (!answer.ok) throw new CallRefusedError(sentenceOf(answer.failure))
      const { sessions, nextCursor } = answer.value.value
      return { sessions: sessions.map(summaryOf), nextCursor }
    },
    getSession: async ({ id }) => {
      const answer = await service().retrieveSession(id, requestTimeout())
      if (!answer.ok) throw new CallRefusedError(sentenceOf(answer.failure))
      return summaryOf(answer.value.value)
    },
    deleteSession: async ({ id }) => {
      if (!(await journal.commit(() => intendDeletion(journal, id))))
        throw new CallRefusedError(FILE_BEING_REMOVED)
      const answer = await service().deleteSession(id, requestTimeout())
      if (!answer.ok && answer.failure.kind !== 'not-found') {
        if (wasDeletionRefused(answer.failure)) await journal.commit(() => journal.deletions.forget(id))
        throw new CallRefusedError(sentenceOf(answer.failure))
      }
      const requestId = answer.ok ? answer.value.requestId : null
      await journal.commit(() => noteDeletion(journal, id, requestId))
      return null
    },
    testKey: ({ baseUrl, apiKey }) => testKey(baseUrl, apiKey),
    createWebhookEndpoint: async ({ idempotencyKey, ...endpoint }) => {
      const answer = await registerWebhook(service(), endpoint, idempotencyKey, requestTimeout())
      if (!answer.ok) throw new CallRefusedError(answer.sentence)
      return { id: answer.id, secret: answer.secret }
    },
  }
}
