import { expect, test } from 'vitest'
import { readLockfile } from '../../../../scripts/building/shipped-packages.mjs'
import { debootstrapArguments } from '../../../../scripts/runtime/debian-tree.mjs'
import { withPlainStores } from '../../../../scripts/windows/fix-wine-arm64.mjs'
import { windowsPackagePaths } from '../../../../scripts/windows/windows-packages.mjs'
import { WINE_DEBIAN, wineProblem } from '../../../../scripts/windows/wine-debian.mjs'

const debian = { platform: 'linux', arch: 'x64', isRoot: true, isDebian: true }

test.each(['x64', 'arm64'])('the Windows tests can run as root on Debian %s', (arch) => {
  expect(wineProblem({ ...debian, arch })).toBeNull()
})

test.each([
  [{ platform: 'darwin' }, 'this is darwin.'],
  [{ arch: 'riscv64' }, 'this is riscv64.'],
  [{ isDebian: false }, 'this Linux is not Debian'],
  [{ isRoot: false }, 'this user is not root.'],
])('one sentence names the missing requirement: %o', (change, requirement) => {
  expect(wineProblem({ ...debian, ...change })).toContain(requirement)
})

test('debootstrap accepts only packages that Debian has signed', () => {
  const args = debootstrapArguments(WINE_DEBIAN, '/tmp/tree', 'http://mirror.example/debian')
  expect(args).toContain('--force-check-gpg')
  expect(args).toContain('--keyring=/usr/share/keyrings/debian-archive-keyring.gpg')
  expect(args).not.toContain('--no-check-gpg')
})

test.each([
  ['x64', 'arm64'],
  ['arm64', 'x64'],
])('the lockfile pins all native packages for Windows on %s', (arch, other) => {
  const lockfile = readLockfile()
  const shipped = {
    [`node_modules/@a/native-win32-${arch}`]: { version: '1.0.0', os: ['win32'], cpu: [arch] },
    [`node_modules/@a/native-win32-${other}`]: { version: '1.0.0', os: ['win32'], cpu: [other] },
    [`node_modules/@a/native-linux-${arch}`]: { version: '1.0.0', os: ['linux'], cpu: [arch] },
    [`node_modules/tool-win32-${arch}`]: { version: '1.0.0', os: ['win32'], cpu: [arch], dev: true },
  }
  const packages = { ...lockfile.packages, ...shipped }
  const packagePaths = windowsPackagePaths({ ...lockfile, packages }, arch)
  expect(packagePaths).toContain(`node_modules/@a/native-win32-${arch}`)
  for (const name of [`native-win32-${other}`, `native-linux-${arch}`, `tool-win32-${arch}`])
    expect(packagePaths.filter((packagePath) => packagePath.endsWith(name))).toEqual([])
  for (const packagePath of windowsPackagePaths(lockfile, arch))
    expect(lockfile.packages[packagePath]?.integrity, packagePath).toMatch(/^sha512-/)
})

test('the patch of Wine for arm64 replaces a status store only right after a length store to the same address', () => {
  const [storeLength, storeStatus, plainStore, storeToOther] = [
    0xf9000402, 0x889ffc01, 0xb9000001, 0x889ffc41,
  ]
  const program = (...instructions: readonly number[]) => Buffer.from(Uint32Array.from(instructions).buffer)
  const fixed = withPlainStores(program(storeStatus, storeLength, storeStatus, storeLength, storeToOther))
  expect(fixed).toEqual(program(storeStatus, storeLength, plainStore, storeLength, storeToOther))
  expect(withPlainStores(fixed)).toEqual(fixed)
})
