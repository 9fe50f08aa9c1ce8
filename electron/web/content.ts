import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join, resolve, sep } from 'node:path'

interface ContentAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer | string
}

const mimeTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
}

/** Placeholder that the build puts into index.html wherever a nonce belongs. */
const NONCE_PLACEHOLDER = '__CSP_NONCE__'

/**
 * Returns the security headers, the same in every host: scripts, styles and requests must come from the app itself, and
 * inline styles need the nonce of this response.
 */
export function securityHeaders(nonce: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=(), payment=()',
  }
}

/** Returns a function that serves files from the folder of the built window, and never from outside it. */
export function createContent(rendererDir: string): (pathname: string) => Promise<ContentAnswer> {
  const root = resolve(rendererDir)
  return async function answer(pathname) {
    const nonce = randomBytes(16).toString('base64')
    const file = fileFor(root, pathname)
    const body = file && (await readFile(file).catch(() => null))
    if (!file || !body) {
      return {
        status: 404,
        headers: { ...securityHeaders(nonce), 'Content-Type': 'text/plain; charset=utf-8' },
        body: 'Not found.',
      }
    }
    const isPage = file.endsWith('.html')
    const headers = {
      ...securityHeaders(nonce),
      'Content-Type': mimeTypes[extname(file)] ?? 'application/octet-stream',
      // A browser may cache only assets, because their names contain a hash of their content.
      'Cache-Control': pathname.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-store',
    }
    return { status: 200, headers, body: isPage ? body.toString('utf8').replaceAll(NONCE_PLACEHOLDER, nonce) : body }
  }
}

function fileFor(root: string, pathname: string): string | null {
  let decoded: string
  try {
    decoded = decodeURIComponent(pathname)
  } catch {
    return null
  }
  if (decoded.includes('\0') || decoded.includes('\\')) return null
  const file = resolve(join(root, decoded === '/' ? 'index.html' : decoded))
  return file.startsWith(root + sep) ? file : null
}
