import { command, log } from './launcher/command.mjs'
import { ROOT } from './launcher/project.mjs'
import { captureNpm } from './runtime/npm.mjs'

/** Advisories of these severities fail the command. All others are only listed. */
const SERIOUS_SEVERITIES = ['high', 'critical']

await command({ usage: 'npm run audit' }, async () => {
  const { stdout } = await captureNpm(['audit', '--json'], { cwd: ROOT })
  const report = readReport(stdout)
  if (report === null) {
    log('no audit: the registry does not offer audits or cannot be reached.')
    return 0
  }
  for (const { name, severity, range } of report) process.stdout.write(`${severity} ${name} ${range}\n`)
  const seriousCount = report.filter(({ severity }) => SERIOUS_SEVERITIES.includes(severity)).length
  log(`${report.length} packages have advisories, ${seriousCount} of them high or critical.`)
  return seriousCount === 0 ? 0 : 1
})

/**
 * @param {string} text
 * @returns {{ name: string, severity: string, range: string }[] | null} null if the text is not a report
 */
function readReport(text) {
  try {
    const { auditReportVersion, vulnerabilities } = JSON.parse(text)
    return auditReportVersion === undefined ? null : Object.values(vulnerabilities)
  } catch {
    return null
  }
}
