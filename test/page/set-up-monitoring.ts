import type { Page } from 'playwright-core'
import { openScreen } from './harness.ts'

/** Tests search for these secrets in places where they must not appear. */
export const TEST_SECRETS = {
  alert: 'https://hooks.example.com/services/T0/B0/simulated-secret',
  heartbeat: 'https://hc.example.com/ping/simulated-secret',
  token: 'simulated-secret-token-of-a-test',
} as const

const saveSecret = async (page: Page, card: string, label: string, value: string, noun: string) => {
  const region = page.getByRole('region', { name: card })
  await region.getByLabel(label).fill(value)
  await region.getByRole('button', { name: `Save ${noun}` }).click()
  await region.getByLabel(`Replace the ${noun}`).waitFor()
}

/** Sets up all three cards. The alert card then shows a failed delivery. */
export const setUpMonitoring = async (page: Page): Promise<void> => {
  await openScreen(page, 'Monitoring')
  await saveSecret(page, 'Alerts', 'Alert URL', TEST_SECRETS.alert, 'URL')
  await saveSecret(page, 'Heartbeat', 'Heartbeat URL', TEST_SECRETS.heartbeat, 'URL')
  const metrics = page.getByRole('region', { name: 'Metrics for Prometheus' })
  await metrics.getByText('Serve metrics on this PC').click()
  await metrics.getByRole('button', { name: 'Save', exact: true }).click()
  await saveSecret(page, 'Metrics for Prometheus', 'Token', TEST_SECRETS.token, 'token')
  await metrics.getByText('Listening at').waitFor()
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await page.getByRole('heading', { name: 'Monitoring', level: 1 }).scrollIntoViewIfNeeded()
}
