import { expect, it } from 'vitest'
import { openScreen } from '../../page/harness.ts'
import { MORNING } from '../../page/morning.ts'
import { setUpMonitoring, TEST_SECRETS } from '../../page/set-up-monitoring.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

describePage('monitoring', (open) => {
  it('is off until it is set up; then each card shows its status, and the page contains no secret', async () => {
    const page = await open({ scene: 'calm', moving: false, at: MORNING })
    await openScreen(page, 'Monitoring')
    const metrics = page.getByRole('region', { name: 'Metrics for Prometheus' })
    expect(await page.getByText('Listening at').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Send a test alert' }).count()).toBe(0)
    await setUpMonitoring(page)
    await metrics.getByText('Listening at http://127.0.0.1:9464/metrics. Last request just now.').waitFor()
    await metrics
      .getByText('A token is stored. Each request must send it. The token is not shown again.')
      .waitFor()
    await page.getByText('Heartbeats go to hc.example.com. The full URL is not shown again.').waitFor()
    await page.getByText('The last heartbeat arrived at hc.example.com 2 min ago.').waitFor()
    await page.getByText('hooks.example.com answers with status 503. (1 min ago)').waitFor()
    await page.getByText('An alert is not delivered yet. Sluice keeps trying.').waitFor()
    expect(await page.content()).not.toContain('simulated-secret')
    expect(await callArgs(page, 'saveMonitoringSecret')).toEqual([
      { which: 'alert_url', value: TEST_SECRETS.alert, acceptUnprotected: false },
      { which: 'heartbeat_url', value: TEST_SECRETS.heartbeat, acceptUnprotected: false },
      { which: 'token', value: TEST_SECRETS.token, acceptUnprotected: false },
    ])
    expect((await callArgs(page, 'saveSettings'))[0]).toMatchObject({
      monitoring: { metrics: { address: '127.0.0.1', port: 9464 } },
    })
  })

  it('shows an error at each field with invalid input, and does not save the input', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Monitoring')
    const alerts = page.getByRole('region', { name: 'Alerts' })
    const saveButton = alerts.getByRole('button', { name: 'Save URL' })
    for (const [typed, words] of [
      ['hooks.example.com', 'Start the URL with https://'],
      ['http://hooks.example.com/', 'Use https://'],
      ['https://user:pw@hooks.example.com/', 'Leave user name and password out.'],
    ] as const) {
      await alerts.getByLabel('Alert URL').fill(typed)
      await alerts.getByText(words, { exact: false }).waitFor()
      expect(await saveButton.isDisabled()).toBe(true)
    }
    const metrics = page.getByRole('region', { name: 'Metrics for Prometheus' })
    await metrics.getByText('Serve metrics on this PC').click()
    await metrics.getByLabel('Listen at this address').fill('lab.example.com')
    await metrics.getByText('Use an address of this PC', { exact: false }).waitFor()
    expect(await metrics.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
    await metrics.getByLabel('Listen at this address').fill('0.0.0.0')
    await metrics.getByRole('button', { name: 'Save', exact: true }).click()
    await metrics.getByLabel('Token').fill('short')
    await metrics.getByText('Use at least 16 characters.', { exact: false }).waitFor()
  })

  it('shows the results of a test alert and a heartbeat, saves the heartbeat interval, and removes a URL', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await setUpMonitoring(page)
    await page.getByRole('button', { name: 'Send a test alert' }).click()
    await page.getByText('The test alert arrived at hooks.example.com.').waitFor()
    await page.evaluate(() =>
      window.scripted.failNext('sendHeartbeat', { kind: 'failed', message: 'The agent does not answer.' }),
    )
    await page.getByRole('button', { name: 'Send a heartbeat now' }).click()
    await page.getByText('The agent does not answer.').waitFor()
    await page.getByRole('button', { name: 'Interval' }).click()
    await page.getByRole('option', { name: 'Every 15 min' }).click()
    await expect
      .poll(async () => (await callArgs(page, 'saveSettings')).at(-1))
      .toMatchObject({ monitoring: { heartbeat_seconds: 900 } })
    await page.getByRole('region', { name: 'Alerts' }).getByRole('button', { name: 'Remove URL' }).click()
    await page.getByLabel('Alert URL').waitFor()
    expect(await callArgs(page, 'forgetMonitoringSecret')).toEqual([{ which: 'alert_url' }])
  })

  it('locks the fields of managed settings, but still offers a test alert', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await setUpMonitoring(page)
    await page.evaluate(() => window.scripted.manage(['monitoring.alert_url', 'monitoring.metrics']))
    const alerts = page.getByRole('region', { name: 'Alerts' })
    await alerts.getByText('Set by your administrator').last().waitFor()
    expect(await alerts.getByLabel('Replace the URL').isDisabled()).toBe(true)
    expect(await alerts.getByRole('button', { name: 'Remove URL' }).isDisabled()).toBe(true)
    expect(await alerts.getByRole('button', { name: 'Send a test alert' }).isDisabled()).toBe(false)
    const metrics = page.getByRole('region', { name: 'Metrics for Prometheus' })
    expect(await metrics.getByLabel('Port').isDisabled()).toBe(true)
    expect(
      await page.getByRole('region', { name: 'Heartbeat' }).getByLabel('Replace the URL').isDisabled(),
    ).toBe(false)
  })
})
