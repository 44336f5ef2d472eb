import { expect, it } from 'vitest'
import { openScreen } from './harness.ts'
import { callArgs, describePage } from './with-page.ts'

const TAKE = '/data/recordings/hall-3/pick_0712'

describePage('takes of several files', (open) => {
  const openTake = async (ids: readonly number[]) => {
    const page = await open({ scene: 'busy', moving: false })
    await page.evaluate((event) => window.applyStationEvent(event), {
      kind: 'one-take',
      take: TAKE,
      ids,
    } as const)
    await openScreen(page, 'Recordings')
    const row = page.getByRole('row').filter({ hasText: 'pick_0712' })
    await row.waitFor()
    return { page, row }
  }

  it('have one row, which opens a list of the files, and each file links back to its take', async () => {
    const { page, row } = await openTake([12, 13, 15])
    expect(await row.count()).toBe(1)
    await row.getByText('3 files').waitFor()
    await row.getByText('Safe', { exact: true }).waitFor()
    await row.getByText('pick_0712').click()
    const pane = page.getByRole('complementary')
    await pane.getByText('3 of 3 files safe').waitFor()
    const files = pane.getByRole('listitem')
    expect(await files.count()).toBe(3)
    await files.first().getByRole('button').click()
    await pane.getByRole('heading', { name: 'Stages' }).waitFor()
    await pane.getByRole('button', { name: 'Take pick_0712' }).click()
    await pane.getByText('3 of 3 files safe').waitFor()
  })

  it('need attention if one file does, “Try again” retries only this file, and a receipt covers all files', async () => {
    const { page, row } = await openTake([12, 13, 14])
    expect(await row.count()).toBe(1)
    await row.getByText('Needs attention').waitFor()
    await row.getByText('pick_0712').click()
    const pane = page.getByRole('complementary')
    await pane.getByText('2 of 3 files safe').waitFor()
    await pane.getByRole('button', { name: 'Save a receipt…' }).click()
    expect(await callArgs(page, 'saveReceipt')).toEqual([
      { of: { ids: expect.arrayContaining([12, 13, 14]) } },
    ])
    await pane.getByRole('button', { name: 'Try again' }).click()
    await row.getByText('A file was added or changed later').waitFor()
    expect(await callArgs(page, 'retryRecordings')).toEqual([{ ids: [14] }])
  })

  it('can be retried from the row, and the retry covers only the file with the problem', async () => {
    const { page, row } = await openTake([12, 13, 14])
    await row.getByText('Needs attention').waitFor()
    await row.click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Try again' }).click()
    await page.getByText('Trying 1 recording again.', { exact: true }).waitFor()
    expect(await callArgs(page, 'retryRecordings')).toEqual([{ ids: [12], takes: true }])
    await row.getByText('A file was added or changed later').waitFor()
  })

  it('can be uploaded anyway from the row if one file is held', async () => {
    const { page, row } = await openTake([12, 13, 42])
    await page.evaluate((event) => window.applyStationEvent(event), {
      kind: 'take-deviates',
      id: 42,
      deviations: ['/camera/wrist is missing.'],
      isHeld: true,
    } as const)
    await row.getByText('Needs attention').waitFor()
    await row.click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Upload anyway' }).click()
    await page.getByText('Trying 1 recording again.', { exact: true }).waitFor()
  })

  it('are proposed for a folder of rosbag2 recordings', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'Folders')
    await page.getByRole('button', { name: 'Watch another folder' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Folder', { exact: true }).fill('/data/bags')
    await dialog.getByText('Each folder here looks like one rosbag2 recording.').waitFor()
    await dialog.getByRole('button', { name: 'Treat folders as takes' }).click()
    expect(await dialog.getByRole('radio', { name: 'One folder' }).isChecked()).toBe(true)
    await dialog.getByLabel('Site').fill('Yard')
    await dialog.getByRole('button', { name: 'Watch this folder' }).click()
    await dialog.waitFor({ state: 'detached' })
    const saved = (await callArgs(page, 'saveSettings')) as { folders: { path: string; take: string }[] }[]
    expect(saved.at(-1)?.folders.at(-1)).toMatchObject({ path: '/data/bags', take: 'folder' })
  })

  it('are proposed for a folder of LeRobot datasets, without the temporary images', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'Folders')
    await page.getByRole('button', { name: 'Watch another folder' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Folder', { exact: true }).fill('/data/datasets')
    await dialog.getByText('Sluice will skip its temporary images').waitFor()
    await dialog.getByRole('button', { name: 'Treat folders as takes' }).click()
    await dialog.getByLabel('Site').fill('Yard')
    await dialog.getByRole('button', { name: 'Watch this folder' }).click()
    await dialog.waitFor({ state: 'detached' })
    const saved = (await callArgs(page, 'saveSettings')) as { folders: object[] }[]
    expect(saved.at(-1)?.folders.at(-1)).toMatchObject({
      path: '/data/datasets',
      take: 'folder',
      exclude: ['**/.*', '**/*.part', '**/*.tmp', '**/*.active', '**/images/*/episode*/frame*'],
    })
  })
})
