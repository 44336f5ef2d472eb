import type { CallAnswer } from '../../../shared/ipc/ipc.ts'
import { Refused } from '../../station-store/refused.ts'
import type { SettingsStore } from '../../station-store/settings-store.ts'
import type { WebhookSecrets } from '../../station-store/webhook-secrets.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import type { ShellCalls } from './answer-call.ts'

type Parts = {
  readonly store: Pick<SettingsStore, 'state'>
  readonly webhooks: WebhookSecrets
  readonly supervisor: Pick<Supervisor, 'call' | 'configure'>
}

/** The agent registers the endpoint at the service. Main stores the secret, and the page shows it once. */
export const webhookCalls = ({
  store,
  webhooks,
  supervisor,
}: Parts): Pick<ShellCalls, 'registerWebhook' | 'getWebhookEndpoints' | 'forgetWebhooks'> => {
  const address = () => store.state.settings.service?.base_url
  return {
    getWebhookEndpoints: () => webhooks.endpointsFor(address()),
    registerWebhook: async ({ url, events, acceptUnprotected }) => {
      const service = address()
      if (service === undefined) throw new Refused('Set the service address and a key first.')
      const endpoint = { url, events }
      const idempotencyKey = webhooks.begin(service, endpoint, acceptUnprotected, new Date())
      const answer = (await supervisor.call('createWebhookEndpoint', {
        ...endpoint,
        idempotencyKey,
      })) as CallAnswer<{ readonly id: string; readonly secret: string }>
      if (!answer.ok) throw new Refused(answer.error.message)
      const trouble = webhooks.keep(endpoint, answer.value, new Date())
      await supervisor.configure()
      return { secret: answer.value.secret, trouble }
    },
    forgetWebhooks: async () => {
      try {
        webhooks.forget()
      } finally {
        await supervisor.configure()
      }
      return null
    },
  }
}
