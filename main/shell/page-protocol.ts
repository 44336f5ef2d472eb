import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { protocol } from 'electron'
import { contentSecurityPolicy, contentTypes } from './page-policy.ts'

/**
 * The page is served from its own scheme rather than file://, so it has an origin of its own, cannot read
 * the disk, and gets its policy as a header that markup cannot weaken.
 */
export const PAGE_URL = 'sluice://app/'

/** Must run before the app is ready. */
export const registerPageScheme = (): void =>
  protocol.registerSchemesAsPrivileged([
    { scheme: 'sluice', privileges: { standard: true, secure: true, supportFetchAPI: false } },
  ])

export const servePage = (root: string): void =>
  protocol.handle('sluice', async (request) => {
    const { host, pathname } = new URL(request.url)
    const file = path.join(root, pathname === '/' ? 'index.html' : decodeURIComponent(pathname))
    const contentType = contentTypes[path.extname(file)]
    const inside = file.startsWith(root + path.sep)
    if (host !== 'app' || !inside || contentType === undefined) return new Response(null, { status: 404 })
    try {
      return new Response(await readFile(file), {
        headers: {
          'content-type': contentType,
          'content-security-policy': contentSecurityPolicy,
          'x-content-type-options': 'nosniff',
        },
      })
    } catch {
      return new Response(null, { status: 404 })
    }
  })
