import type { NewEndpoint } from '../../../shared/contract/webhooks.ts'
import { type Failure, wordsOf } from '../domain/failure.ts'
import type { ServiceClient } from '../ports/service.ts'
import { requestIdWords, sentenceOf } from './failure-sentence.ts'

export type RegisteredEndpoint =
  | { readonly ok: true; readonly id: string; readonly secret: string }
  | { readonly ok: false; readonly sentence: string }

/** Tells the user what the service refuses, or why the call failed. */
const refusalOf = (failure: Failure): string => {
  // This message already names the field; `wordsOf` would repeat it.
  const words = failure.kind === 'rejected' && failure.message !== '' ? failure.message : wordsOf(failure)
  const suffix = `${words === undefined ? '' : ` (${words})`}.${requestIdWords(failure)}`
  switch (failure.kind) {
    case 'rejected':
    case 'conflict':
    case 'not-found':
      if (failure.kind === 'rejected' && failure.param?.startsWith('url'))
        return `The service does not accept this URL${suffix}`
      if (failure.kind === 'rejected' && failure.param?.startsWith('events'))
        return `The service does not accept these events${suffix}`
      return `The service refuses to register this endpoint${suffix}`
    default:
      return sentenceOf(failure)
  }
}

/** §4.7: for 24 hours, the same idempotency key returns the same secret. So a retry registers no second endpoint. */
export const registerWebhook = async (
  service: Pick<ServiceClient, 'createWebhookEndpoint'>,
  { url, events }: NewEndpoint,
  idempotencyKey: string,
  signal: AbortSignal,
): Promise<RegisteredEndpoint> => {
  const answer = await service.createWebhookEndpoint(url, events, idempotencyKey, signal)
  return answer.ok
    ? { ok: true, id: answer.value.value.id, secret: answer.value.value.secret }
    : { ok: false, sentence: refusalOf(answer.failure) }
}
