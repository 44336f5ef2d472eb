import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { protocol } from 'electron'
import { pathsOf } from '../../../shared/paths/paths.ts'
import { contentSecurityPolicy, contentTypes } from './page-policy.ts'

/**
 * The page is served from its own scheme rather than file://, so it has an origin of its own, cannot read
 * the disk, and gets its policy as a header that markup cannot weaken.
 */
const PAGE_URL = 'sluice://app/'

/** `npm run dev` serves the page from its source, so that an edit shows at once; a package knows only its own page. */
export const pageAddress = (packaged: boolean, env: NodeJS.ProcessEnv): string =>
  (packaged ? '' : env.SLUICE_PAGE_URL) || PAGE_URL

/** Must run before the app is ready. */
export const registerPageScheme = (): void =>
  protocol.registerSchemesAsPrivileged([
    {
      scheme: 'sluice',
      // The cache of compiled code is for the second start on.
      privileges: { standard: true, secure: true, supportFetchAPI: false, codeCache: true },
    },
  ])

export const servePage = (root: string): void =>
  protocol.handle('sluice', async (request) => {
    const { host, pathname } = new URL(request.url)
    const file = path.join(root, pathname === '/' ? 'index.html' : decodeURIComponent(pathname))
    const contentType = contentTypes[path.extname(file)]
    const inside = pathsOf(process.platform).contains(root, file)
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
