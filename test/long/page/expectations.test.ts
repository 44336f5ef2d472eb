import { expect, it } from 'vitest'
import { openScreen } from '../../page/harness.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

const DEVIATIONS = ['/camera/wrist has no messages, expected at least 25 Hz.', 'The file is cut off.']

describePage('the window of a station with expected content', (open) => {
  it('shows a deviation on Overview, in the details and in the activity, and “Dismiss” removes its card', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await page.evaluate(async (deviations) => {
      await window.applyStationEvent({ kind: 'take-deviates', id: 42, deviations })
      await window.scripted.changeStatus({})
    }, DEVIATIONS)
    const card = page.getByText(`Check this recording: ${DEVIATIONS[0]}`)
    await card.waitFor()
    await page.getByText('1 recording is not as expected, needs you').first().waitFor()
    const problems = page.getByRole('region', { name: 'Problems' })
    await problems.getByRole('button', { name: 'Show', exact: true }).click()
    const pane = page.getByRole('complementary')
    await pane.getByRole('heading', { name: 'In the file' }).waitFor()
    for (const sentence of DEVIATIONS) await pane.getByText(sentence).waitFor()
    await openScreen(page, 'Activity')
    await page.getByText(`is not as expected. ${DEVIATIONS.join(' ')}`, { exact: false }).waitFor()
    await openScreen(page, 'Overview')
    await problems.getByRole('button', { name: 'Dismiss', exact: true }).click()
    await card.waitFor({ state: 'detached' })
    expect(await callArgs(page, 'dismissDeviation')).toEqual([{ id: 42 }])
  })

  it('shows that a deviating recording waits, until the user decides to upload it', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await page.evaluate(async (deviations) => {
      await window.applyStationEvent({ kind: 'take-deviates', id: 42, deviations, isHeld: true })
      await window.scripted.changeStatus({})
    }, DEVIATIONS)
    const card = page.getByText(`Check this recording: ${DEVIATIONS[0]}`)
    await card.waitFor()
    await page.getByText('waits for your decision', { exact: false }).waitFor()
    expect(await page.getByText('The recording waits for your decision.').count()).toBe(0)
    await page.getByRole('button', { name: 'Upload anyway', exact: true }).click()
    await card.waitFor({ state: 'detached' })
    expect(await callArgs(page, 'retryRecordings')).toEqual([{ ids: [42] }])
  })

  it('shows early that Sluice will ask before it uploads a deviating recording', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await page.evaluate(async (deviations) => {
      await window.applyStationEvent({ kind: 'take-deviates', id: 42, deviations })
      const answer = await window.sluice.call.getStatus()
      if (!answer.ok) throw new Error(answer.error.message)
      const { takesToCheck } = answer.value
      const newest = takesToCheck.newest.map((take) => ({ ...take, willBeHeld: true }))
      await window.scripted.changeStatus({ takesToCheck: { ...takesToCheck, newest } })
    }, DEVIATIONS)
    await page.getByText('Sluice asks you before it uploads', { exact: false }).waitFor()
    expect(await page.getByText('anyway', { exact: false }).count()).toBe(0)
  })

  it('learns the expectation from the last recordings, and saves it only after the user confirms', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Folders')
    await page.getByRole('button', { name: 'Change…' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Change a watched folder' })
    await dialog.getByText('Expected content').click()
    await dialog.getByRole('button', { name: 'Learn from the last recordings' }).click()
    await dialog.getByText(/^Learned from the last \d+ recordings\./).waitFor()
    const channels = dialog.getByLabel('Expected channels')
    expect((await channels.inputValue()).split('\n')).toContain('/imu, 160 Hz, 1 s')
    expect(await callArgs(page, 'saveSettings')).toEqual([])
    const saveButton = dialog.getByRole('button', { name: 'Save', exact: true })
    await channels.fill('/imu, 160 Hz, 1 s\n/camera/*, 25')
    await dialog.getByText('Line 2: Give the name of a channel', { exact: false }).waitFor()
    expect(await saveButton.isDisabled()).toBe(true)
    await channels.fill('/imu, 160 Hz, 1 s\n/camera/*, not constant')
    await dialog.getByLabel('Shortest duration').fill('30')
    await dialog.getByLabel('Longest duration').fill('900')
    await saveButton.click()
    await expect
      .poll(async () => callArgs(page, 'saveSettings'))
      .toMatchObject([
        {
          folders: [
            {
              expect: {
                format: 'mcap',
                channels: [
                  { name: '/imu', min_rate_hz: 160, max_gap_seconds: 1 },
                  { name: '/camera/*', not_constant: true },
                ],
                min_seconds: 30,
                max_seconds: 900,
              },
            },
            {},
          ],
        },
      ])
  })
})
