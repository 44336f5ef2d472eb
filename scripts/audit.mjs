import { command, say } from './launcher/command.mjs'
import { ROOT } from './launcher/project.mjs'
import { captureNpm } from './runtime/npm.mjs'

/** What fails the command; the rest is only named. */
const SERIOUS = ['high', 'critical']

await command({ usage: 'npm run audit' }, async () => {
  const { stdout } = await captureNpm(['audit', '--json'], { cwd: ROOT })
  const report = readReport(stdout)
  if (report === null) {
    say('no audit was made: it is not offered here, or the registry cannot be reached.')
    return 0
  }
  for (const { name, severity, range } of report) process.stdout.write(`${severity} ${name} ${range}\n`)
  const serious = report.filter(({ severity }) => SERIOUS.includes(severity)).length
  say(`the registry knows of ${report.length} packages with advisories, ${serious} of them serious.`)
  return serious === 0 ? 0 : 1
})

/**
 * @param {string} text
 * @returns {{ name: string, severity: string, range: string }[] | null} null when it is no report
 */
function readReport(text) {
  try {
    const { auditReportVersion, vulnerabilities } = JSON.parse(text)
    return auditReportVersion === undefined ? null : Object.values(vulnerabilities)
  } catch {
    return null
  }
}
