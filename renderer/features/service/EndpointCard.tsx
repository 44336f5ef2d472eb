import { useState } from 'react'
import { eventTypes, newEndpoint, stationEvents } from '../../../shared/contract/webhooks.ts'
import type { SecretStorage } from '../../../shared/ipc/ipc.ts'
import { dayInSentence } from '../../../shared/words/format.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { Switch, TextField } from '../../components/Fields.tsx'
import { OwnerOnly } from '../../components/Managed.tsx'
import { ask } from '../../data/ask.ts'
import { issuesByPath } from '../../data/field-issues.ts'
import { useNotices } from '../../data/Notices.tsx'
import { useSettings } from '../../data/SettingsView.tsx'
import { sentenceOf } from '../../data/shown-error.ts'
import { useLoad } from '../../data/use-load.ts'
import { useNow } from '../../data/use-now.ts'
import { type NewWebhookSecret, SecretDialog } from './SecretDialog.tsx'
import { eventWords } from './webhook-draft.ts'

type Props = { readonly baseUrl: string; readonly storage: SecretStorage | null }

/**
 * Registers a URL with the service (§4.7). The contract has no requests that list or delete endpoints (§4.8). So the
 * card lists the endpoints that this station has stored, and cannot delete them.
 */
export function EndpointCard({ baseUrl, storage }: Props) {
  const { attempt } = useNotices()
  const { state } = useSettings()
  const isReceiving = state?.settings.webhooks.receive !== undefined
  const now = useNow()
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState(stationEvents)
  const [isAccepted, setAccepted] = useState(false)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [newSecret, setNewSecret] = useState<NewWebhookSecret | null>(null)
  const [isAskingToForget, setAskingToForget] = useState(false)
  const endpoints = useLoad(`endpoints ${baseUrl}`, () => ask('getWebhookEndpoints'))
  const issues = issuesByPath(newEndpoint, { url, events })
  const needsConsent = storage?.available === true && !storage.protects

  const register = async () => {
    setBusy(true)
    setFailure(null)
    try {
      setNewSecret(await ask('registerWebhook', { url, events: [...events], acceptUnprotected: isAccepted }))
      setUrl('')
      endpoints.reload()
    } catch (error) {
      setFailure(sentenceOf(error))
    } finally {
      setBusy(false)
    }
  }
  const forget = async () => {
    setAskingToForget(false)
    await attempt(() => ask('forgetWebhooks'), 'The secrets are removed from this PC.')
    endpoints.reload()
  }
  const toggle = (event: (typeof eventTypes)[number]) => (on: boolean) =>
    setEvents(eventTypes.filter((type) => (type === event ? on : events.includes(type))))

  return (
    <Card title="Endpoint at the service">
      <OwnerOnly>
        {endpoints.data !== null && endpoints.data.length > 0 && (
          <>
            <ul className="endpoints">
              {endpoints.data.map((endpoint) => (
                <li key={endpoint.id}>
                  <span className="selectable">{endpoint.url}</span>
                  <span className="quiet small">
                    {endpoint.events.join(', ')} · registered {dayInSentence(endpoint.registeredAt, now)}
                  </span>
                </li>
              ))}
            </ul>
            <p className="quiet small">
              Registered from this station. To remove an endpoint, contact support.
            </p>
            <div className="row">
              <Button size="small" onPress={() => setAskingToForget(true)}>
                Remove secrets…
              </Button>
            </div>
          </>
        )}
        <TextField
          label="URL that the service calls"
          placeholder="https://hooks.example.com/webhooks"
          inputMode="url"
          help="The service must be able to reach this PC at this URL."
          value={url}
          onChange={setUrl}
          error={url.trim() === '' ? null : (issues.get('url') ?? null)}
        />
        <fieldset className="events stack">
          <legend className="field-label">Events to send</legend>
          {eventTypes.map((event) => (
            <Switch
              key={event}
              label={eventWords[event]}
              help={event}
              isSelected={events.includes(event)}
              onChange={toggle(event)}
            />
          ))}
          {issues.has('events') && <p className="field-error">Choose at least one event.</p>}
        </fieldset>
        {needsConsent && (
          <Banner tone="warn">
            <p>This PC has no keychain, so other programs could read the secret.</p>
            <Switch label="Save the secret anyway" isSelected={isAccepted} onChange={setAccepted} />
          </Banner>
        )}
        {failure !== null && <Banner tone="bad">{failure}</Banner>}
        <div className="row">
          <Button
            look="primary"
            busy={busy}
            isDisabled={baseUrl === '' || issues.size > 0 || (needsConsent && !isAccepted)}
            onPress={() => void register()}
          >
            Register endpoint
          </Button>
        </div>
      </OwnerOnly>
      <SecretDialog
        newSecret={newSecret}
        storage={storage}
        isReceiving={isReceiving}
        onClose={() => setNewSecret(null)}
      />
      <Dialog
        isOpen={isAskingToForget}
        onClose={() => setAskingToForget(false)}
        role="alertdialog"
        title="Remove the secrets of these endpoints?"
        actions={
          <>
            <Button onPress={() => setAskingToForget(false)}>Cancel</Button>
            <Button look="danger" onPress={() => void forget()}>
              Remove secrets
            </Button>
          </>
        }
      >
        <p>
          Sluice then refuses events for these endpoints and polls the service instead. The service still
          sends the events.
        </p>
      </Dialog>
    </Card>
  )
}
