import { settingNames } from '../../../shared/settings/setting-names.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { Card } from '../../components/Card.tsx'
import { Select } from '../../components/Choices.tsx'
import { TextField } from '../../components/Fields.tsx'
import { FormFoot } from '../../components/FormFoot.tsx'
import { Managed } from '../../components/Managed.tsx'
import { Screen } from '../../components/Screen.tsx'
import { ask } from '../../data/ask.ts'
import { useSettings } from '../../data/SettingsView.tsx'
import { useForm } from '../../data/use-form.ts'
import { useLoad } from '../../data/use-load.ts'
import { AddressField } from './AddressField.tsx'
import { missingKeyNote } from './address.ts'
import { EndpointCard } from './EndpointCard.tsx'
import { KeyCard } from './KeyCard.tsx'
import { ReceiverCard } from './ReceiverCard.tsx'
import './service.css'
import { hostsIn, type ProxyChoice, proxyChoices, readService, serviceDraft } from './service-draft.ts'

export function Service() {
  const { state } = useSettings()
  const service = state?.settings.service
  const form = useForm({
    stored: serviceDraft(service),
    schema: settingsSchema.shape.service,
    section: 'service',
    read: readService,
    put: (settings, value) => ({ ...settings, service: value as never }),
  })
  const { draft, change, errorAt } = form
  const storage = useLoad(`storage ${service?.base_url}`, () => ask('getSecretStorage'))
  const hostsError = hostsIn(draft).reduce<string | null>(
    (firstError, _host, index) => firstError ?? errorAt(`upload_hosts.${index}`),
    errorAt('upload_hosts'),
  )
  const isSaved = draft.baseUrl === service?.base_url

  return (
    <Screen title="Service & key" intro="The service address, the key, and events from the service.">
      <div className="form">
        <Card title="Service">
          <Managed path="service">
            <AddressField
              value={draft.baseUrl}
              onChange={(baseUrl) => change({ baseUrl })}
              error={errorAt('base_url')}
              note={isSaved ? null : missingKeyNote(storage.data, draft.baseUrl)}
            />
            <Managed path="service.proxy">
              <div className="field-pair">
                <Select<ProxyChoice>
                  label={settingNames['service.proxy']}
                  choices={proxyChoices}
                  value={draft.proxy}
                  onChange={(proxy) => change({ proxy })}
                />
                {draft.proxy === 'address' && (
                  <TextField
                    label="Proxy address"
                    placeholder="http://proxy.example.com:3128"
                    value={draft.proxyUrl}
                    onChange={(proxyUrl) => change({ proxyUrl })}
                    error={errorAt('proxy')}
                  />
                )}
              </div>
            </Managed>
            <details className="more">
              <summary>Certificates and storage</summary>
              <div className="stack">
                <Managed path="service.ca_file">
                  <TextField
                    label={settingNames['service.ca_file']}
                    placeholder="None"
                    help="A PEM file, for a network that inspects traffic."
                    value={draft.caFile}
                    onChange={(caFile) => change({ caFile })}
                    error={errorAt('ca_file')}
                  />
                </Managed>
                <Managed path="service.checksum_header">
                  <TextField
                    label={settingNames['service.checksum_header']}
                    help="Change it only if your administrator asks."
                    value={draft.checksumHeader}
                    onChange={(checksumHeader) => change({ checksumHeader })}
                    error={errorAt('checksum_header')}
                  />
                </Managed>
                <Managed path="service.upload_hosts">
                  <TextField
                    label={settingNames['service.upload_hosts']}
                    placeholder="Default: any https host outside this network"
                    help="Upload only to these hosts, e.g. storage.example.com, *.example.org."
                    value={draft.uploadHosts}
                    onChange={(uploadHosts) => change({ uploadHosts })}
                    error={hostsError}
                  />
                </Managed>
              </div>
            </details>
          </Managed>
          <FormFoot form={form} />
        </Card>
        <KeyCard baseUrl={service?.base_url ?? ''} storage={storage} />
        <ReceiverCard />
        <EndpointCard baseUrl={service?.base_url ?? ''} storage={storage.data} />
      </div>
    </Screen>
  )
}
