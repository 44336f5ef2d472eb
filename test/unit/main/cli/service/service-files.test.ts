import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  launchDaemon,
  type ServicePlan,
  scheduledTask,
  systemdUnit,
} from '../../../../../main/cli/service/service-files.ts'
import { needs, program } from '../../../../support/needs.ts'

const plan: ServicePlan = {
  program: [process.execPath, '--no-sandbox', '--'],
  dataFolder: '/var/lib/sluice',
  account: 'sluice',
  group: null,
  keyFile: null,
  runsAsNode: false,
}

/** Writes the unit to a file with the name that systemd requires. */
const writeUnitFile = (unit: string): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-unit-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'sluice.service')
  writeFileSync(file, unit)
  return file
}

describe('a systemd unit', () => {
  test(
    'gets an exposure level below 3.0 from `systemd-analyze security`',
    needs(program('systemd-analyze')),
    () => {
      const unit = systemdUnit({ ...plan, group: 'recorders', keyFile: '/etc/sluice/key' })
      const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', writeUnitFile(unit)], {
        encoding: 'utf8',
      })
      const level = Number(/Overall exposure level for sluice\.service: ([\d.]+)/.exec(stdout)?.[1])
      expect(level).toBeLessThan(3)
    },
  )

  test.each([
    ['for the system', plan],
    ['for one user', { ...plan, account: null, dataFolder: '/home/anna b/100 %/$HOME "x"' }],
  ])('%s passes the check of systemd', needs(program('systemd-analyze')), (_, servicePlan) => {
    const args = ['verify', '--man=no', writeUnitFile(systemdUnit(servicePlan))]
    const { status, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  test('runs the agent under an account of its own, restarts it, and gives it the key', () => {
    const unit = systemdUnit({ ...plan, group: 'recorders', keyFile: '/etc/sluice/key' })
    expect(unit.split('\n')).toEqual(
      expect.arrayContaining([
        'User=sluice',
        'SupplementaryGroups=recorders',
        'LoadCredential=sluice.key:/etc/sluice/key',
        'Restart=always',
        'StateDirectoryMode=0700',
        'WantedBy=multi-user.target',
      ]),
    )
    expect(unit).toContain('-- run --data /var/lib/sluice\n')
  })

  test('for one user names no account, and escapes characters that systemd would expand', () => {
    const unit = systemdUnit({ ...plan, account: null, dataFolder: '/home/anna b/100 %/$HOME "x"' })
    expect(unit).not.toContain('User=')
    expect(unit).toContain('--data "/home/anna b/100 %%/$$HOME \\"x\\""')
    expect(unit).toContain('WantedBy=default.target')
  })
})

test('the daemon for macOS starts at boot under its account, and restarts when it ends', () => {
  const daemon = launchDaemon({ ...plan, program: ['/Applications/Sluice & Co.app/Sluice', '--'] })
  expect(daemon).toContain('<string>/Applications/Sluice &amp; Co.app/Sluice</string>')
  expect(daemon).toContain('<key>UserName</key><string>sluice</string>')
  expect(daemon).toContain('<key>RunAtLoad</key><true/>')
  expect(daemon).toContain('<key>KeepAlive</key><true/>')
  expect(daemon.match(/<string>run<\/string>\n {4}<string>--data<\/string>/)).not.toBeNull()
})

describe('the task for Windows', () => {
  const program = ['C:\\Program Files\\Sluice\\Sluice.exe', '--no-sandbox', '--']
  const dataFolder = 'C:\\ProgramData\\Sluice data\\'

  test('starts at boot before any user signs in, restarts, and never times out', () => {
    const task = scheduledTask({ ...plan, program, dataFolder, account: 'Local Service' })
    expect(task).toContain('<BootTrigger><Enabled>true</Enabled></BootTrigger>')
    expect(task).toContain('<UserId>S-1-5-19</UserId>')
    expect(task).not.toContain('LogonType')
    expect(task).toContain('<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>')
    expect(task).toContain('<RestartOnFailure>')
    expect(task).toContain('<StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>')
  })

  test('quotes its arguments so that Windows splits them correctly', () => {
    const task = scheduledTask({ ...plan, program, dataFolder })
    expect(task).toContain('<Command>C:\\Program Files\\Sluice\\Sluice.exe</Command>')
    expect(task).toContain(
      '<Arguments>--no-sandbox -- run --data &quot;C:\\ProgramData\\Sluice data\\\\&quot;</Arguments>',
    )
  })

  test('runs under a given account without its password', () => {
    const task = scheduledTask({ ...plan, program, dataFolder, account: 'HALL3\\station' })
    expect(task).toContain('<UserId>HALL3\\station</UserId>')
    expect(task).toContain('<LogonType>S4U</LogonType>')
  })
})
