import type { Page } from 'playwright-core'
import { openScreen } from './harness.ts'
import { importedSettings } from './scripted/imported-settings.ts'

/** Steps that show one view of the page. The accessibility test and the screenshots share them. */

type Show = (page: Page) => Promise<void>

export const showScreen =
  (name: string): Show =>
  (page) =>
    openScreen(page, name)

export const showRecording =
  (id: number): Show =>
  async (page) => {
    await page.evaluate((to) => window.scripted.navigate(to), `recordings/${id}`)
    await page.getByRole('heading', { name: 'Stages' }).waitFor()
  }

export const showRecordingMenu: Show = async (page) => {
  await openScreen(page, 'Recordings')
  await page.getByRole('grid').press('ArrowDown')
  await page.getByRole('grid').press('Shift+F10')
  await page.getByRole('menu').waitFor()
}

export const showShortcuts: Show = async (page) => {
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
}

export const showRefusedSite: Show = async (page) => {
  await showRecording(11)(page)
  await page.getByRole('button', { name: 'Correct the site' }).click()
  await page.getByRole('dialog').waitFor()
}

export const showDeleteDialog: Show = async (page) => {
  await showRecording(15)(page)
  await page.getByRole('button', { name: 'Delete at the service…' }).click()
  await page.getByRole('alertdialog').waitFor()
}

export const showTechnicalLog: Show = async (page) => {
  await openScreen(page, 'Activity')
  await page.getByRole('radio', { name: 'Technical log' }).click()
  await page.getByText('recording=').first().waitFor()
}

export const showImportDialog: Show = async (page) => {
  await page.evaluate((picked) => window.scripted.pick(picked), importedSettings)
  await openScreen(page, 'About')
  await page.getByRole('button', { name: 'Import settings…' }).click()
  await page.getByRole('dialog').waitFor()
}
