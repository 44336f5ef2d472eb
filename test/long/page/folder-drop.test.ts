import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dragOver, drop } from '../../page/drop.ts'
import { openScreen } from '../../page/harness.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

describePage('a window that receives a drop', (open) => {
  const base = mkdtempSync(path.join(tmpdir(), 'sluice-drop-'))
  const folder = path.join(base, 'new-rig')
  const file = path.join(base, 'take.mcap')
  beforeAll(() => {
    mkdirSync(folder)
    writeFileSync(file, 'x')
  })
  afterAll(() => rmSync(base, { recursive: true }))

  it('opens a dialog with the path of the folder, and watches the folder only after the user confirms', async () => {
    const page = await open({ scene: 'calm', moving: false })
    const releaseFolder = await dragOver(page, [folder])
    await page.getByText('Drop a folder to watch it').waitFor()
    await releaseFolder()
    const dialog = page.getByRole('dialog', { name: 'Watch another folder' })
    await dialog.getByText('Folder OK', { exact: false }).waitFor()
    expect(await dialog.getByLabel('Folder', { exact: true }).inputValue()).toBe('/data/dropped/new-rig')
    // No watched folder contains the dropped folder, so the dialog suggests no site.
    expect(await dialog.getByLabel('Site').inputValue()).toBe('')
    expect(await page.getByText('Drop a folder to watch it').count()).toBe(0)
    expect(await callArgs(page, 'saveSettings')).toEqual([])
    await dialog.getByLabel('Site').fill('Yard')
    await dialog.getByRole('button', { name: 'Watch this folder' }).click()
    await page.getByRole('heading', { name: '/data/dropped/new-rig' }).waitFor()
  })

  it('refuses a file', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await drop(page, [file])
    await page.getByText('Drop a folder, not a file', { exact: false }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    // The window did not navigate to the dropped file.
    await page.getByRole('navigation').waitFor()
  })

  it('puts the path into an open folder dialog; other dialogs ignore the drop', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'Folders')
    await page.getByRole('button', { name: 'Watch another folder' }).click()
    await drop(page, [folder])
    const field = page.getByRole('dialog').getByLabel('Folder', { exact: true })
    await expect.poll(() => field.inputValue()).toBe('/data/dropped/new-rig')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Stop watching…' }).first().click()
    await page.getByRole('alertdialog').waitFor()
    await drop(page, [folder])
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('alertdialog').waitFor()
  })

  it('puts the path into the folder step of the first run', async () => {
    const page = await open({ scene: 'first-run', moving: false })
    await drop(page, [folder])
    await page.getByText('Folder saved for the next step.').waitFor()
    await page.getByRole('button', { name: 'Try the sandbox' }).click()
    await page.getByText('Folder OK', { exact: false }).waitFor()
    expect(await page.getByLabel('Folder', { exact: true }).inputValue()).toBe('/data/dropped/new-rig')
  })
})
