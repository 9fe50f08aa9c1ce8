/**
 * Answers the admin requests to a running sandbox, for tests and demos. They are accepted from this machine only, and
 * never from a web page:
 * - GET /sandbox/status: the clock, the faults and the requests so far
 * - PUT /sandbox/faults {…}: replaces the active faults (faults.ts); {} removes all
 * - PUT /sandbox/clock {"now": ISO|null}: fixes the clock, or lets it run again
 */
import { FaultsError, parseFaults } from '../faults/faults.ts'
import { json, type Reply } from '../http/reply.ts'
import type { SandboxRequest, SandboxContext } from './context.ts'

export const ADMIN_PREFIX = '/sandbox/'

const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/

const refusal = (status: number, code: string, error: string) => json(status, { error, code, details: {} })

function status({ clock, faults, stats, files }: SandboxContext): Reply {
  return json(200, {
    now: new Date(clock.now()).toISOString(),
    faults: faults.current,
    stats: { ...stats, filesMade: files.madeCount, cacheBytes: files.sizeBytes },
  })
}

function setClock(context: SandboxContext, body: unknown): Reply {
  const now = (body as { now?: unknown }).now
  const nowMs = typeof now === 'string' ? Date.parse(now) : null
  if (now !== null && (nowMs === null || Number.isNaN(nowMs))) {
    return refusal(400, 'invalid_body', 'now must be an ISO time or null')
  }
  context.clock.set(nowMs)
  return status(context)
}

function setFaults(context: SandboxContext, body: unknown): Reply {
  try {
    context.faults.set(parseFaults(body))
    return status(context)
  } catch (error) {
    if (error instanceof FaultsError) return refusal(400, 'invalid_body', error.message)
    throw error
  }
}

/** @param body text of the request, whose size the server has limited */
export function answerAdmin(context: SandboxContext, { method, path, headers }: SandboxRequest, body: string): Reply {
  if (!loopbackHost.test(headers.host ?? '') || headers.origin !== undefined) {
    return refusal(403, 'forbidden', 'Only for this machine')
  }
  const request = `${method} ${path.slice(ADMIN_PREFIX.length)}`
  if (request === 'GET status') return status(context)
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return refusal(400, 'invalid_body', 'The body must be JSON')
  }
  if (typeof value !== 'object' || value === null) return refusal(400, 'invalid_body', 'The body must be a JSON object')
  if (request === 'PUT faults') return setFaults(context, value)
  if (request === 'PUT clock') return setClock(context, value)
  return refusal(404, 'not_found', `There is nothing at ${method} ${path}`)
}
