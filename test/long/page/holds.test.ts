import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { MORNING } from '../../page/morning.ts'
import { openRecording } from '../../page/open-recording.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

const focusedLabel = (page: Page) =>
  page.evaluate(() => {
    const { activeElement } = document
    const isField = activeElement instanceof HTMLInputElement || activeElement instanceof HTMLTextAreaElement
    return isField ? (activeElement.labels?.[0]?.textContent ?? '') : (activeElement?.id ?? '')
  })

const SITE_SENTENCE = 'The service does not accept the site name. (Hall 3 is being merged with another site.)'

describePage('a recording on hold', (open) => {
  it('shows who has to act; “Copy for support” copies the problem and its request ID', async () => {
    const page = await open({ scene: 'busy', moving: false })
    const pane = await openRecording(page, 11)
    await pane.getByText('Needs attention', { exact: true }).waitFor()
    await pane.getByText('until the site is corrected.', { exact: false }).waitFor()
    await pane.getByText('req_01JX7V1S6D9E').waitFor()
    await pane.getByRole('button', { name: 'Dismiss' }).waitFor()
    await pane.getByRole('button', { name: 'Copy for support' }).press('Enter')
    await pane.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toContain(`Problem: site-refused\nMessage: ${SITE_SENTENCE}\n`)
    expect(copied).toContain('Parameter: site\nRequest ID: req_01JX7V1S6D9E\n')
  })

  it('differs from a failed recording, which offers “Try again”', async () => {
    const page = await open({ scene: 'busy', moving: false })
    const pane = await openRecording(page, 14)
    await pane.getByText('Needs attention', { exact: true }).waitFor()
    await pane.getByRole('button', { name: 'Dismiss' }).waitFor()
    expect(await pane.getByText('On hold since', { exact: false }).count()).toBe(0)
    // Support has to act, so “Copy for support” is the primary button.
    const styleOf = (name: string) => pane.getByRole('button', { name }).getAttribute('class')
    expect(await styleOf('Copy for support')).toContain('button-primary')
    expect(await styleOf('Try again')).not.toContain('button-primary')
    await pane.getByRole('button', { name: 'Try again' }).press('Enter')
    await page.getByText('Trying 1 recording again.').waitFor()
  })
})

describePage('a value refused by the service', (open) => {
  it.each([
    ['site-refused', 'site', 'Correct the site', 'Site'],
    ['device-refused', 'device', 'Correct the device', 'Device (optional)'],
    ['notes-refused', 'notes', 'Correct the notes', 'Notes sent with each recording'],
    ['part-size-refused', 'part_size', 'Correct the part size', 'Part size'],
  ] as const)('%s leads to its field, with the service’s message', async (code, param, word, label) => {
    const page = await open({ scene: 'busy', moving: false })
    const sentence = `The ${param} is not accepted. (${param} is invalid.)`
    const pane = await openRecording(page, 11, { code, param, sentence })
    await pane.getByRole('button', { name: word }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Change a watched folder' })
    await dialog.getByText(sentence).waitFor()
    await expect.poll(() => focusedLabel(page)).toBe(label)
    expect(await dialog.getByLabel('Folder', { exact: true }).inputValue()).toBe('/data/recordings/hall-3')
    // The sentence must be visible, not only present, because the dialog is longer than the window.
    await expect
      .poll(async () => {
        const box = await dialog.getByText(sentence).boundingBox()
        return box !== null && box.y > 0 && box.y + box.height < 760
      })
      .toBe(true)
    const field = dialog.getByLabel(label, { exact: true })
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('64')
    await dialog.getByText(sentence).waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Save' }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    const [saved] = (await callArgs(page, 'saveSettings')) as [{ folders: Record<string, unknown>[] }]
    const key = param === 'part_size' ? 'part_size_bytes' : param
    expect(saved.folders[0]?.[key]).toBe(param === 'part_size' ? 64_000_000 : '64')
    await expect.poll(() => focusedLabel(page)).toBe('screen-title')
  })

  it('leads from the overview to its field, the second time too', async () => {
    const page = await open({ scene: 'refused', moving: false, at: MORNING })
    for (const _visit of ['first', 'second']) {
      await page.getByRole('article').getByRole('button', { name: 'Correct the site' }).press('Enter')
      await page.getByRole('dialog').getByText(SITE_SENTENCE).waitFor()
      await expect.poll(() => focusedLabel(page)).toBe('Site')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.evaluate(() => window.scripted.navigate('overview'))
    }
    expect(await callArgs(page, 'saveSettings')).toEqual([])
  })

  it('shows a message if its folder is no longer watched', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.evaluate(() => {
      const { getRecording } = window.sluice.call
      Object.assign(window.sluice.call, {
        getRecording: async (args: { id: number }) => {
          const answer = await getRecording(args)
          return answer.ok ? { ok: true, value: { ...answer.value, folder: 'E:\\old' } } : answer
        },
      })
      window.scripted.navigate('recordings/11')
    })
    await page.getByRole('button', { name: 'Correct the site' }).press('Enter')
    await page.getByText('E:\\old is no longer watched.', { exact: false }).waitFor()
    await expect.poll(() => focusedLabel(page)).toBe('screen-title')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  it('shows the file in the file manager if the service refused the file name', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.evaluate(async () => {
      const answer = await window.sluice.call.getStatus()
      if (!answer.ok) throw new Error(answer.error.message)
      const group = answer.value.problems.find(({ problem }) => problem.code === 'site-refused')
      if (group === undefined) throw new Error('the scene has no refused site')
      const problem = { ...group.problem, code: 'name-refused' as const, param: 'filename' }
      await window.scripted.changeStatus({ problems: [{ ...group, problem }] })
    })
    await page.getByRole('article').getByRole('button', { name: 'Show the file' }).press('Enter')
    await page.getByText('Shown in the file manager.').waitFor()
    const pane = await openRecording(page, 11, { code: 'name-refused', param: 'filename' })
    await pane.getByText('until the file is renamed.', { exact: false }).waitFor()
    await pane.getByRole('button', { name: 'Show in folder' }).press('Enter')
    await expect.poll(() => callArgs(page, 'showRecording')).toEqual([{ id: 11 }, { id: 11 }])
    expect(await pane.getByRole('button', { name: /^Correct/ }).count()).toBe(0)
  })

  it('cannot be replaced by a part size outside the limits of the service', async () => {
    const page = await open({ scene: 'busy', moving: false })
    const pane = await openRecording(page, 11, { code: 'part-size-refused', param: 'part_size' })
    await pane.getByRole('button', { name: 'Correct the part size' }).press('Enter')
    const dialog = page.getByRole('dialog')
    for (const input of ['7', '600', 'many']) {
      await dialog.getByLabel('Part size').fill(input)
      await dialog.getByText('Use a number from 8 to 512.').waitFor()
      expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    }
  })
})

describePage('several conditions of the station', (open) => {
  it('are all shown, even those that concern no recordings', async () => {
    const page = await open({ scene: 'conditions', moving: false })
    await page.evaluate(() => window.scripted.changeStatus({ problems: [] }))
    expect(await page.getByRole('article').count()).toBe(3)
    expect(await page.getByRole('button', { name: 'Recordings', exact: true }).count()).toBe(1)
  })
})
