import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { endChild, endWithRunner } from '../child-end.ts'
import { type Need, program, root } from '../needs.ts'
import { freePort } from './postgres.ts'
import type { BackEndAddress } from './sandbox-on-back-end.ts'

const kinds = ['account', 'container', 'object'] as const

/** Swift does not start without this file, which its package installs. */
const configFile = '/etc/swift/swift.conf'

export const swift: Need = () =>
  root() ??
  program('swift-ring-builder')() ??
  [...kinds, 'proxy'].map((kind) => program(`swift-${kind}-server`)()).find((missing) => missing !== null) ??
  (existsSync(configFile) ? null : configFile)

export type Swift = {
  readonly s3: NonNullable<BackEndAddress['s3']>
  /** Ends the process that answers clients, so that the system refuses connections. */
  goDown(): Promise<void>
  comeBack(): Promise<void>
  stop(): Promise<void>
}

/** OpenStack Swift with its S3 API, one replica in one folder, on free ports. */
export const startSwift = async (): Promise<Swift> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-swift-'))
  mkdirSync(path.join(folder, 'devices/d1'), { recursive: true })
  const children: ChildProcess[] = []
  const start = (kind: string, config: string) => {
    const file = path.join(folder, `${kind}-server.conf`)
    writeFileSync(file, config)
    const child = spawn(`swift-${kind}-server`, [file], { cwd: folder, stdio: 'ignore' })
    endWithRunner(child)
    children.push(child)
    return child
  }
  for (const kind of kinds) {
    const port = await freePort()
    const builder = path.join(folder, `${kind}.builder`)
    const runRingBuilder = (...args: string[]) =>
      execFileSync('swift-ring-builder', [builder, ...args], { stdio: 'ignore' })
    runRingBuilder('create', '4', '1', '0')
    runRingBuilder('add', `r1z1-127.0.0.1:${port}/d1`, '1')
    runRingBuilder('rebalance')
    const app = `[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = ${port}\nworkers = 0\nuser = root\n${commonConfig(folder)}
[pipeline:main]\npipeline = ${kind}-server\n[app:${kind}-server]\nuse = egg:swift#${kind}\n`
    start(kind, app)
  }
  const port = await freePort()
  let proxy = start('proxy', proxyConfig(folder, port))
  const endpoint = `http://127.0.0.1:${port}`
  const isReady = () =>
    fetch(`${endpoint}/healthcheck`).then(
      (answer) => answer.ok,
      () => false,
    )
  while (!(await isReady())) await delay(100)
  const credentials = { accessKeyId: 'lab:station', secretAccessKey: 'swift-test-secret' }
  const s3 = { bucket: 'recordings', region: 'us-east-1', endpoint, credentials }
  const client = new S3Client({ ...s3, forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: s3.bucket }))
  client.destroy()
  return {
    s3,
    async goDown() {
      await endChild(proxy, 'SIGKILL')
    },
    async comeBack() {
      proxy = start('proxy', proxyConfig(folder, port))
      while (!(await isReady())) await delay(100)
    },
    async stop() {
      await Promise.all(children.map((child) => endChild(child, 'SIGKILL')))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const commonConfig = (folder: string) =>
  `swift_dir = ${folder}\ndevices = ${folder}/devices\nmount_check = false\nlog_address = ${folder}/no-log\nfallocate_reserve = 0`

/**
 * By default, the proxy avoids a node for a minute after ten errors. There is only one node, so on a busy PC every
 * request would fail for that minute.
 */
const proxyConfig = (folder: string, port: number) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = root
${commonConfig(folder)}
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
conn_timeout = 30
node_timeout = 120
recoverable_node_timeout = 120
error_suppression_limit = 1000000
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:9
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
[filter:tempauth]
use = egg:swift#tempauth
user_lab_station = swift-test-secret .admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
`
