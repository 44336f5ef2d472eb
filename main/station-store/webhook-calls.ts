import type { AgentCallName, CallAnswer } from '../../shared/ipc/ipc.ts'
import { Refused } from './refused.ts'
import type { SettingsStore } from './settings-store.ts'
import type { StationCalls } from './station-call-types.ts'
import type { WebhookSecrets } from './webhook-secrets.ts'

type Parts = {
  readonly store: Pick<SettingsStore, 'state'>
  readonly webhooks: WebhookSecrets
  readonly agent: {
    readonly call: (name: AgentCallName, args: unknown) => Promise<CallAnswer<unknown>>
    readonly configure: () => Promise<void>
  }
}

/**
 * The agent registers the endpoint at the service. This process stores the secret, and the page shows this secret once.
 */
export const webhookCalls = ({
  store,
  webhooks,
  agent,
}: Parts): Pick<StationCalls, 'registerWebhook' | 'getWebhookEndpoints' | 'forgetWebhooks'> => {
  const address = () => store.state.settings.service?.base_url
  return {
    getWebhookEndpoints: () => webhooks.endpointsFor(address()),
    registerWebhook: async ({ url, events, acceptUnprotected }) => {
      const service = address()
      if (service === undefined) throw new Refused('Set the service address and a key first.')
      const endpoint = { url, events }
      const idempotencyKey = webhooks.storeRequest(service, endpoint, acceptUnprotected, new Date())
      const answer = (await agent.call('createWebhookEndpoint', {
        ...endpoint,
        idempotencyKey,
      })) as CallAnswer<{ readonly id: string; readonly secret: string }>
      if (!answer.ok) throw new Refused(answer.error.message)
      const trouble = webhooks.storeSecret(endpoint, answer.value, new Date())
      await agent.configure()
      return { secret: answer.value.secret, trouble }
    },
    forgetWebhooks: async () => {
      try {
        webhooks.forget()
      } finally {
        await agent.configure()
      }
      return null
    },
  }
}
