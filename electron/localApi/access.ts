import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { DESCRIPTION_PATH } from './routes.ts'
import { isOwnHost, isOwnOrigin, isToken } from '../loopback/guard.ts'

/**
 * Returns the reason to refuse a request before any work is done; null to accept it. The checks that reveal least about
 * this machine come first.
 */
export function requestRefusal(request: IncomingMessage, token: string): [status: number, message: string] | null {
  if (!isOwnHost(request)) return [403, 'This address is served to this machine only.']
  if (request.headers.origin !== undefined && !isOwnOrigin(request))
    return [403, 'Requests from other origins are refused.']
  const offeredToken = /^Bearer ([\w-]+)$/.exec(request.headers.authorization ?? '')?.[1]
  if (!isToken(offeredToken, token)) return [401, 'Send the token of the token file: Authorization: Bearer TOKEN']
  return null
}

/** Limits the number of requests per second; the requests of a second may come in one burst. */
export interface RequestRate {
  /** Counts a request; returns false if the limit is exceeded. */
  take(): boolean
}

/** @param nowMs a monotonic clock */
export function createRequestRate(perSecond: number, nowMs: () => number): RequestRate {
  let availableRequests = perSecond
  let countedMs = nowMs()
  return {
    take() {
      const now = nowMs()
      availableRequests = Math.min(perSecond, availableRequests + ((now - countedMs) * perSecond) / 1000)
      countedMs = now
      if (availableRequests < 1) return false
      availableRequests -= 1
      return true
    },
  }
}

/** File with the token of the local API, readable only by its owner, and the address file next to it. */
interface TokenFile {
  path: string
  token: string
  /** Removes the files, unless another program has replaced them. */
  remove(): void
}

const ACCESS_FOLDER = 'door'

/** Pattern of a local API's address; other addresses are ignored, because the file may have been manipulated. */
const addressPattern = /^http:\/\/127\.0\.0\.1:\d{1,5}$/
/** Timeout for the response of a running local API. */
const PROBE_TIMEOUT_MS = 2000

/** Returns the address of the local API that a program has opened for a data folder; null if none responds. */
export async function findRunningAddress(dataDir: string): Promise<string | null> {
  try {
    const read = (name: string) => readFileSync(join(dataDir, ACCESS_FOLDER, name), 'utf8')
    const { url } = JSON.parse(read('address.json')) as { url: string }
    if (!addressPattern.test(url)) return null
    const headers = { Authorization: `Bearer ${read('token').trim()}` }
    const request = get(url + DESCRIPTION_PATH, {
      headers,
      agent: false,
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.destroy()
    return response.statusCode === 200 ? url : null
  } catch {
    return null
  }
}

/** Writes the token and the address of a local API to files in the data folder. */
export function writeTokenFile(dataDir: string, url: string, token: string): TokenFile {
  const folder = join(dataDir, ACCESS_FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'token')
  const addressPath = join(folder, 'address.json')
  writePrivate(path, token)
  writePrivate(addressPath, `${JSON.stringify({ url })}\n`)
  return {
    path,
    token,
    remove() {
      if (existsSync(path) && readFileSync(path, 'utf8').trim() !== token) return
      for (const each of [path, addressPath]) rmSync(each, { force: true })
    },
  }
}

export const newToken = (): string => randomBytes(32).toString('base64url')

/** Writes a private file: at no time readable by others, and never through a link in its place. */
function writePrivate(path: string, text: string): void {
  const part = `${path}.${process.pid}.part`
  rmSync(part, { force: true })
  writeFileSync(part, text, { mode: 0o600, flag: 'wx' })
  renameSync(part, path)
}
