import type { DraftSettings } from '../../shared/settings/settings.ts'
import { useNotices } from './Notices.tsx'
import { useSettings } from './SettingsView.tsx'

type App = DraftSettings['app']
type Change = { readonly [K in keyof App]?: App[K] | undefined }

/** For controls of the app's settings that save at once, without a Save button. */
export const useAppSetting = (): { readonly app: App | null; readonly set: (change: Change) => void } => {
  const { state, saveOrThrow } = useSettings()
  const { showError } = useNotices()
  const set = (change: Change) => {
    saveOrThrow((settings) => ({ ...settings, app: { ...settings.app, ...change } as App })).catch(showError)
  }
  return { app: state?.settings.app ?? null, set }
}
