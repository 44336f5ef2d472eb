import { useState } from 'react'
import { systemWords } from '../../../shared/ipc/system.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { Banner } from '../../components/Banner.tsx'
import { Switch, TextField } from '../../components/Fields.tsx'
import { ask } from '../../data/ask.ts'
import { issueOf } from '../../data/field-issues.ts'
import { useSettings } from '../../data/SettingsView.tsx'
import { sentenceOf } from '../../data/shown-error.ts'
import { useLoad } from '../../data/use-load.ts'
import { SiteField } from '../folders/SiteField.tsx'
import { BackButton, StepForm } from './StepForm.tsx'
import type { StepProps } from './setup.ts'

const { site: siteSchema, device: deviceSchema } = settingsSchema.shape.folders.unwrap().element.shape

export function SiteStep({ setup, change, onNext, onBack }: StepProps) {
  const { saveOrThrow } = useSettings()
  const info = useLoad('app-info', () => ask('getAppInfo'))
  const words = systemWords[info.data?.system ?? 'linux']
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const device = setup.device.trim()
  const siteIssue = issueOf(siteSchema, setup.site)
  const deviceIssue = device === '' ? null : issueOf(deviceSchema, device)

  const finish = async () => {
    setBusy(true)
    setFailure(null)
    try {
      // Save the key first. Otherwise the agent starts without a key, and the service refuses its requests.
      if (setup.apiKey !== '')
        await ask('saveKey', {
          baseUrl: setup.baseUrl,
          apiKey: setup.apiKey,
          acceptUnprotected: setup.acceptUnprotected,
        })
      await saveOrThrow((settings) => ({
        ...settings,
        service: { ...settings.service, base_url: setup.baseUrl },
        app: { ...settings.app, start_at_login: setup.startAtLogin },
        folders: [
          ...settings.folders.filter((folder) => folder.path !== setup.path.trim()),
          {
            path: setup.path.trim(),
            site: setup.site.trim(),
            ignore_existing: setup.ignoreExisting,
            ...(device === '' ? {} : { device }),
          },
        ],
      }))
      change({ apiKey: '' })
      onNext()
    } catch (error) {
      setFailure(sentenceOf(error))
      setBusy(false)
    }
  }

  return (
    <StepForm
      title="Which site and device is this?"
      intro="Both names are sent with every recording."
      submitLabel="Start watching"
      isReady={siteIssue === null && deviceIssue === null}
      busy={busy}
      onSubmit={() => void finish()}
      aside={<BackButton onPress={onBack} />}
    >
      <SiteField
        help="Use exactly the same name as other stations here."
        value={setup.site}
        onChange={(site) => change({ site })}
        error={setup.site === '' ? null : siteIssue}
        autoFocus
      />
      <TextField
        label="Device (optional)"
        placeholder="For example rig-07"
        help="The service selects the stored calibration by this name."
        value={setup.device}
        onChange={(value) => change({ device: value })}
        error={deviceIssue}
      />
      <Switch
        label={words.startAtLoginLong}
        help={`Uploads continue after a restart. The icon is in the ${words.tray}; the window stays closed.`}
        isSelected={setup.startAtLogin}
        onChange={(startAtLogin) => change({ startAtLogin })}
      />
      {failure !== null && <Banner tone="bad">{failure}</Banner>}
    </StepForm>
  )
}
