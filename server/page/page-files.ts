import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

/**
 * In a package, the page is inside the app's archive. Only Electron's own `node:fs` reads that archive, and an import
 * would get a different module (`scripts/building/require-builtins.mjs`).
 */
const { readdir, readFile } = process.getBuiltinModule('node:fs/promises')

/** No inline code, no foreign resource, and no string becomes code (Trusted Types). */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const securityHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

type PageFile = { readonly type: string; readonly body: Buffer; readonly gzip: Buffer }

/**
 * The files of the page, by their path in the URL. They stay in memory, so no request can read any other file on the
 * disk.
 */
export type PageFiles = ReadonlyMap<string, PageFile>

/** Returns null if the page was not built. */
export async function loadPageFiles(folder: string): Promise<PageFiles | null> {
  const files = new Map<string, PageFile>()
  const add = async (path: string, file: string) => {
    const type = contentTypes[extname(file)]
    if (type === undefined) return
    const body = await readFile(join(folder, file))
    files.set(path, { type, body, gzip: gzipSync(body) })
  }
  try {
    await add('/', 'index.html')
    for (const name of await readdir(join(folder, 'assets')))
      await add(`/page/assets/${name}`, join('assets', name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  return files
}

/** Returns false if the path names no file of the page. */
export function answerPageFile(
  files: PageFiles,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const file = files.get(path)
  if (file === undefined) return false
  const acceptsGzip = /\bgzip\b/.test(request.headers['accept-encoding']?.toString() ?? '')
  const body = acceptsGzip ? file.gzip : file.body
  response.writeHead(200, {
    ...securityHeaders,
    'Content-Type': file.type,
    'Content-Length': String(body.length),
    ...(acceptsGzip ? { 'Content-Encoding': 'gzip' } : {}),
    Vary: 'Accept-Encoding',
    // Browsers may keep an asset, because its name changes with its content. The name of `index.html` never changes.
    'Cache-Control': path === '/' ? 'no-cache' : 'public, max-age=31536000, immutable',
  })
  response.end(request.method === 'HEAD' ? undefined : body)
  return true
}
