import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { SaveSettingsResult } from '../../../shared/ipc/ipc.ts'
import { openScreen } from '../../page/harness.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

const openFolderDialog = async (page: Page) => {
  await openScreen(page, 'Folders')
  await page.getByRole('button', { name: 'Watch another folder' }).click()
  return page.getByRole('dialog')
}

/**
 * Simulates a refusal by the main process, which validates again because another window or a manual edit may have
 * changed the settings.
 */
const refuseSaving = (page: Page, path: string, message: string) =>
  page.evaluate(
    (issue) => {
      const refusal: SaveSettingsResult = { ok: false, issues: [issue] }
      Object.assign(window.sluice.call, { saveSettings: async () => ({ ok: true, value: refusal }) })
    },
    { path, message },
  )

describePage('a window with bad input', (open) => {
  it('does not send an incomplete key', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Service & key')
    await page.getByLabel('New key').fill('svc_ live ')
    await page.getByText('Too short for a key.').waitFor()
    expect(await page.getByRole('button', { name: 'Save key' }).isDisabled()).toBe(true)
    expect(await callArgs(page, 'testKey')).toEqual([])
  })

  it('shows why the folder was refused, and keeps the input', async () => {
    const page = await open({ scene: 'calm', moving: false })
    const dialog = await openFolderDialog(page)
    await dialog.getByLabel('Folder', { exact: true }).fill('D:\\new')
    await dialog.getByLabel('Site').fill('Hall 9')
    await refuseSaving(page, 'folders.2.path', 'this folder is already watched')
    await dialog.getByRole('button', { name: 'Watch this folder' }).click()
    await dialog.getByText('This folder is already watched.').waitFor()
    expect(await dialog.getByLabel('Folder', { exact: true }).inputValue()).toBe('D:\\new')
  })

  it('shows an error about a setting on a different screen, and keeps the input', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Transfer')
    await page.getByLabel('Parallel recordings').fill('5')
    await refuseSaving(page, 'folders', 'at most 200 folders can be watched')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('At most 200 folders can be watched.').waitFor()
    expect(await page.getByLabel('Parallel recordings').inputValue()).toBe('5')
  })

  it.each([
    [
      'a folder cannot be removed',
      async (page: Page) => {
        await openScreen(page, 'Folders')
        await page.getByRole('button', { name: 'Stop watching' }).first().click()
        await page.getByRole('alertdialog').getByRole('button', { name: 'Stop watching' }).click()
      },
    ],
    [
      'a switch cannot be changed',
      async (page: Page) => {
        await openScreen(page, 'General')
        await page.getByText('When something needs attention', { exact: true }).click()
      },
    ],
    [
      'a pattern cannot be added',
      async (page: Page) => {
        await page.getByRole('button', { name: 'More actions' }).first().press('Enter')
        await page.getByRole('menuitem', { name: 'Ignore files like this…' }).press('Enter')
        await page.getByRole('button', { name: 'Ignore them' }).press('Enter')
      },
    ],
  ])('shows why %s', async (_, act) => {
    const page = await open({ scene: 'busy', moving: false })
    await refuseSaving(page, 'folders.0.exclude', 'use at most 100')
    await act(page)
    await page.getByText('Folder 1, Exclude: Use at most 100.').waitFor()
  })

  it.each(['', 'proxy.lab:3128', 'socks5://proxy.lab:1080'])(
    'refuses “%s” as a proxy, and shows a valid example',
    async (proxy) => {
      const page = await open({ scene: 'calm', moving: false })
      await openScreen(page, 'Service & key')
      await page.getByRole('button', { name: 'Proxy' }).click()
      await page.getByRole('option', { name: 'Custom…' }).click()
      await page.getByLabel('Proxy address').fill(proxy)
      await page.getByText('Give the proxy as http://host:port.').waitFor()
      expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
    },
  )

  it('does not save a folder without a pattern for its files', async () => {
    const page = await open({ scene: 'calm', moving: false })
    const dialog = await openFolderDialog(page)
    await dialog.getByLabel('Folder', { exact: true }).fill('D:\\new')
    await dialog.getByLabel('Site').fill('Hall 9')
    await dialog.getByText('Folder OK.', { exact: false }).waitFor()
    await dialog.getByText('Files and parts').click()
    await dialog.getByLabel('Include', { exact: true }).fill(' ')
    await dialog.getByText('Without a pattern, no files match.', { exact: false }).waitFor()
    expect(await dialog.getByRole('button', { name: 'Watch this folder' }).isDisabled()).toBe(true)
  })

  it('keeps the input when the user clicks outside the dialog', async () => {
    const page = await open({ scene: 'calm', moving: false })
    const dialog = await openFolderDialog(page)
    await dialog.getByLabel('Site').fill('Hall 9')
    await page.mouse.click(4, 400)
    expect(await dialog.getByLabel('Site').inputValue()).toBe('Hall 9')
    // The click closes the list of known sites. Until it is closed, Escape would close only this list.
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    await expect.poll(() => dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it('keeps form input across screens until the user discards the input', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Transfer')
    const field = page.getByLabel('Parallel recordings')
    await field.fill('40')
    await openScreen(page, 'Recordings')
    await openScreen(page, 'Transfer')
    expect(await field.inputValue()).toBe('40')
    await page.getByText('Use 16 or less.').waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await openScreen(page, 'Recordings')
    await openScreen(page, 'Transfer')
    expect(await field.inputValue()).toBe('3')
  })

  it('reports an unusable settings file in the first run too', async () => {
    const page = await open({ scene: 'first-run', moving: false, damaged: true })
    await page.getByText('The settings file could not be used', { exact: false }).waitFor()
    await page.getByRole('heading', { name: 'Where do recordings go?' }).waitFor()
  })

  it('sends no date whose year has six digits', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'Recordings')
    await page.getByRole('button', { name: 'Found' }).first().click()
    await page.getByRole('option', { name: 'Between two dates…' }).click()
    await page.getByLabel('To', { exact: true }).fill('275760-09-13')
    await page.getByText('42 recordings', { exact: true }).waitFor()
    expect((await callArgs(page, 'listRecordings')).at(-1)).not.toHaveProperty('to')
  })
})
