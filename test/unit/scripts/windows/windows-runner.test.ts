import { expect, test } from 'vitest'
import { readLockfile } from '../../../../scripts/building/shipped-packages.mjs'
import { debootstrapArguments } from '../../../../scripts/runtime/debian-tree.mjs'
import { windowsPackagePaths } from '../../../../scripts/windows/windows-packages.mjs'
import { WINE_DEBIAN, wineProblem } from '../../../../scripts/windows/wine-debian.mjs'

const debian = { platform: 'linux', arch: 'x64', isRoot: true, isDebian: true }

test('the Windows tests can run as root on Debian x64', () => {
  expect(wineProblem(debian)).toBeNull()
})

test.each([
  [{ platform: 'darwin' }, 'this is darwin.'],
  [{ arch: 'arm64' }, 'this is arm64, which is untested.'],
  [{ isDebian: false }, 'this Linux is not Debian'],
  [{ isRoot: false }, 'this user is not root.'],
])('on other systems, one sentence names the missing requirement: %o', (change, requirement) => {
  expect(wineProblem({ ...debian, ...change })).toContain(requirement)
})

test('debootstrap accepts only packages that Debian has signed', () => {
  const args = debootstrapArguments(WINE_DEBIAN, '/tmp/tree', 'http://mirror.example/debian')
  expect(args).toContain('--force-check-gpg')
  expect(args).toContain('--keyring=/usr/share/keyrings/debian-archive-keyring.gpg')
  expect(args).not.toContain('--no-check-gpg')
})

test('the lockfile pins the native modules for Windows of the tools and of all shipped packages', () => {
  const lockfile = readLockfile()
  const shipped = {
    'node_modules/@a/native-win32-x64': { version: '1.0.0', os: ['win32'], cpu: ['x64'] },
    'node_modules/@a/native-win32-arm64': { version: '1.0.0', os: ['win32'], cpu: ['arm64'] },
    'node_modules/@a/native-linux-x64': { version: '1.0.0', os: ['linux'], cpu: ['x64'] },
    'node_modules/tool-win32-x64': { version: '1.0.0', os: ['win32'], cpu: ['x64'], dev: true },
  }
  const packagePaths = windowsPackagePaths({ ...lockfile, packages: { ...lockfile.packages, ...shipped } })
  expect(packagePaths).toContain('node_modules/@a/native-win32-x64')
  for (const name of ['native-win32-arm64', 'native-linux-x64', 'tool-win32-x64'])
    expect(packagePaths.filter((packagePath) => packagePath.endsWith(name))).toEqual([])
  for (const packagePath of windowsPackagePaths(lockfile))
    expect(lockfile.packages[packagePath]?.integrity, packagePath).toMatch(/^sha512-/)
})
