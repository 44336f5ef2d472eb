import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { SettingsFilePreview } from '../../../shared/ipc/settings-file-preview.ts'
import { draftSettingsSchema, type SettingsInput } from '../../../shared/settings/settings.ts'
import { openScreen } from '../../page/harness.ts'
import { HALL } from '../../page/scripted/folders.ts'
import { initialSettings } from '../../page/scripted/scene.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

const createPreview = (settings: SettingsInput, holdsKey = false): SettingsFilePreview => ({
  kind: 'readable',
  name: 'hall-4.json',
  settings: draftSettingsSchema.parse(settings),
  holdsKey,
  holdsMonitoringSecrets: false,
  holdsProxyCredentials: false,
})

const openImportDialog = async (page: Page, preview: SettingsFilePreview) => {
  await page.evaluate((picked) => window.scripted.pick(picked), preview)
  await openScreen(page, 'About')
  await page.getByRole('button', { name: 'Import settings…' }).click()
  return page.getByRole('dialog')
}

describePage('a settings file', (open) => {
  it('is exported, and the window shows that the file does not contain the key', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'About')
    await page.getByRole('button', { name: 'Export settings…' }).click()
    await page.getByText('It does not contain the key.', { exact: false }).waitFor()
  })

  it('is imported only after a preview; Cancel changes nothing', async () => {
    const page = await open({ scene: 'calm', moving: false })
    const preview = createPreview(
      {
        ...initialSettings,
        folders: [
          { ...HALL, site: 'Hall 4' },
          { path: '/data/new', site: 'Yard' },
        ],
        transfer: { ...initialSettings.transfer, limit_mbit_per_s: 20 },
      },
      true,
    )
    const dialog = await openImportDialog(page, preview)
    await dialog.getByText('changes 4 settings.', { exact: false }).waitFor()
    await dialog.getByText('The key in the file is ignored.', { exact: false }).waitFor()
    const limit = dialog.getByRole('listitem').filter({ hasText: 'Speed limit' })
    expect((await limit.innerText()).replace(/\s+/g, ' ')).toContain(
      '400 Mbit/s (50.0 MB/s) → to 20 Mbit/s (2.5 MB/s)',
    )
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await callArgs(page, 'saveSettings')).toEqual([])

    await page.getByRole('button', { name: 'Import settings…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Settings imported from hall-4.json.').waitFor()
    const [saved] = (await callArgs(page, 'saveSettings')) as SettingsInput[]
    expect(saved).toMatchObject({ folders: [{ site: 'Hall 4' }, { site: 'Yard' }] })
    expect(await callArgs(page, 'saveKey')).toEqual([])
    await openScreen(page, 'Folders')
    await page.getByRole('heading', { name: '/data/new' }).waitFor()
  })

  it('with a deletion rule is applied only after the user types “delete”', async () => {
    const page = await open({ scene: 'calm', moving: false })
    const previewWithDeletion = createPreview({
      ...initialSettings,
      folders: [{ ...HALL, after_upload: { action: 'delete', days: 30 } }],
    })
    const dialog = await openImportDialog(page, previewWithDeletion)
    await dialog.getByRole('button', { name: 'Apply' }).click()
    const consent = page.getByRole('alertdialog')
    await consent.getByText('This cannot be undone', { exact: false }).waitFor()
    expect(await consent.getByRole('button', { name: 'Delete from now on' }).isDisabled()).toBe(true)
    expect(await callArgs(page, 'saveSettings')).toEqual([])
    await consent.getByRole('textbox').fill('delete')
    // The notice vanishes after six seconds, so the page looks for it in each frame.
    const notice = page.waitForFunction(() =>
      document.body.textContent.includes('Settings imported from hall-4.json.'),
    )
    await consent.getByRole('button', { name: 'Delete from now on' }).click()
    await notice
    expect(await callArgs(page, 'saveSettings')).toHaveLength(1)
  })

  it('with a new service address needs a new key; without a service address, keeps the current one', async () => {
    const page = await open({ scene: 'calm', moving: false })
    const previewWithNewAddress = createPreview({
      ...initialSettings,
      service: { base_url: 'https://other.example.com' },
    })
    const dialog = await openImportDialog(page, previewWithNewAddress)
    await dialog.getByText('https://other.example.com needs its own key.', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    const { service: _service, ...rest } = initialSettings
    const secondDialog = await openImportDialog(page, createPreview(rest))
    await secondDialog.getByText('changes nothing.', { exact: false }).waitFor()
    expect(await secondDialog.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true)
  })

  it('with errors is refused; the dialog shows the line of each error, and Close even at 200% zoom', async () => {
    const page = await open({ scene: 'calm', moving: false, zoom: 2 })
    const dialog = await openImportDialog(page, {
      kind: 'refused',
      name: 'hall-4.json',
      faults: Array.from({ length: 20 }, (_, index) => ({
        line: index + 3,
        sentence: `Folder ${index + 1}, Site: This is required.`,
      })),
    })
    await dialog.getByText('Line 3', { exact: true }).waitFor()
    await dialog.getByText('has 20 errors. Nothing was changed.', { exact: false }).waitFor()
    const box = await dialog.getByRole('button', { name: 'Close' }).boundingBox()
    expect((box?.y ?? 999) + (box?.height ?? 0)).toBeLessThan(380)
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})
