import { expect, it } from 'vitest'
import { DEMO_SENTENCE, DEMO_STATION } from '../../../shared/words/demo-words.ts'
import { openScreen } from '../../page/harness.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

describePage('the window', (open) => {
  it('offers “Keep it” as the default after an upload; “Move it” shows a preview and refuses wrong input', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Folders')
    await page.getByRole('button', { name: 'Change…' }).first().click()
    const dialog = page.getByRole('dialog')
    const rules = dialog.getByRole('radiogroup', { name: 'After the upload' })
    expect(await rules.getByRole('radio', { name: 'Keep it' }).isChecked()).toBe(true)
    await rules.getByText('Move it', { exact: true }).click()
    const saveButton = dialog.getByRole('button', { name: 'Save', exact: true })
    expect(await saveButton.isDisabled()).toBe(true)
    await dialog.getByLabel('Move to').fill('/data/archive')
    await dialog.getByLabel('Wait after processing').fill('ten')
    await dialog.getByText('Type a number, such as 1000.').waitFor()
    await dialog.getByLabel('Wait after processing').fill('10')
    await dialog.getByLabel('Move earlier if free space drops below').fill('250')
    await dialog.getByText('30 recordings (145 GB) would be moved now', { exact: false }).waitFor()
    await dialog.getByText('First 20').click()
    expect(await dialog.locator('.removal-files li').count()).toBe(20)
    await saveButton.click()
    await page
      .getByText('Each recording is moved to /data/archive 10 days after it was processed', { exact: false })
      .waitFor()
    expect((await callArgs(page, 'saveSettings'))[0]).toMatchObject({
      folders: [
        { after_upload: { action: 'move', to: '/data/archive', days: 10, keep_free_bytes: 250_000_000_000 } },
        {},
      ],
    })
  })

  it('saves a deletion rule only after a preview and a typed word, and asks again for a different folder', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Folders')
    await page.getByRole('button', { name: 'Change…' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Change a watched folder' })
    await dialog.getByText('Delete it', { exact: true }).click()
    await dialog.getByText('10 recordings (48.2 GB) would be deleted now', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    const consent = page.getByRole('alertdialog', { name: 'Let Sluice delete files from this PC?' })
    await consent.getByText('10 recordings (48.2 GB) would be deleted now', { exact: false }).waitFor()
    const agreeButton = consent.getByRole('button', { name: 'Delete from now on' })
    expect(await agreeButton.isDisabled()).toBe(true)
    await consent.getByRole('button', { name: 'Cancel' }).click()
    // Without this wait, the test may type into the dialog that is closing.
    await consent.waitFor({ state: 'hidden' })
    expect(await callArgs(page, 'saveSettings')).toEqual([])
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await consent.getByLabel('Type “delete” to continue').fill('delete')
    await agreeButton.click()
    await page.getByText('Each recording is deleted from this PC 30 days after it was processed.').waitFor()
    expect(await callArgs(page, 'saveSettings')).toHaveLength(1)
    // The same rule for a different folder deletes different files, so the window asks again.
    await page.getByRole('button', { name: 'Change…' }).first().click()
    await dialog.getByLabel('Folder', { exact: true }).fill('/data/recordings/hall-4')
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await consent.getByText('/data/recordings/hall-4', { exact: true }).waitFor()
    expect(await callArgs(page, 'saveSettings')).toHaveLength(1)
  })

  it('shows the banner of a test key on every screen, and the list of recordings still fits', async () => {
    const page = await open({ scene: 'calm', moving: false })
    const banner = page.getByText('Test key: nothing here reaches production.')
    expect(await banner.count()).toBe(0)
    await page.evaluate(async () => {
      const answer = await window.sluice.call.getStatus()
      if (!answer.ok) throw new Error('no status')
      const { station } = answer.value
      await window.scripted.changeStatus({ station: { ...station, testKey: true } })
    })
    await banner.waitFor()
    for (const screen of ['Recordings', 'Folders'] as const) {
      await openScreen(page, screen)
      await banner.waitFor()
    }
    const isScrolled = () => page.locator('#main').evaluate((main) => main.scrollHeight > main.clientHeight)
    await openScreen(page, 'Recordings')
    expect(await isScrolled()).toBe(false)
  })

  it('shows on every screen of the demo that everything is simulated', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await page.evaluate(async (name) => {
      const answer = await window.sluice.call.getStatus()
      if (!answer.ok) throw new Error('no status')
      const { station } = answer.value
      await window.scripted.changeStatus({ station: { ...station, name, testKey: true } })
    }, DEMO_STATION)
    for (const screen of ['Overview', 'Recordings'] as const) {
      await openScreen(page, screen)
      await page.getByText(DEMO_SENTENCE).waitFor()
    }
  })

  it('shows in the details, the list and the activity that a file was deleted or moved', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await page.evaluate(async () => {
      await window.applyStationEvent({ kind: 'removed', id: 41, movedTo: null })
      await window.applyStationEvent({ kind: 'removed', id: 42, movedTo: '/data/archive/run.mcap' })
    })
    await page.evaluate(() => window.scripted.navigate('recordings/41'))
    const pane = page.getByRole('complementary')
    await pane.getByText('Removed from this PC today', { exact: false }).first().waitFor()
    await pane.getByText('Deleted from this PC', { exact: true }).waitFor()
    await pane.getByText('the service may have the only copy', { exact: false }).waitFor()
    await page.getByRole('grid').getByText('Moved to /data/archive/run.mcap').waitFor()
    await openScreen(page, 'Activity')
    await page
      .getByText('was deleted from this PC. The service has processed it.', { exact: false })
      .waitFor()
  })
})
