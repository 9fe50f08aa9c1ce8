import type { ErrorBodyShape } from '../faults/faults.ts'
import type { ApiRefusal } from '../refusal.ts'

/** A half-open range of bytes of a file. */
interface FileByteRange {
  path: string
  start: number
  end: number
}

export interface Reply {
  status: number
  headers: Record<string, string>
  body: Uint8Array | FileByteRange
}

export const bodySize = (body: Reply['body']) =>
  body instanceof Uint8Array ? body.length : Math.max(0, body.end - body.start)

export function textReply(status: number, type: string, body: string, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'content-type': type, ...headers }, body: Buffer.from(body) }
}

export const json = (status: number, value: unknown) => textReply(status, 'application/json', JSON.stringify(value))

export const htmlPage = (status: number) =>
  textReply(
    status,
    'text/html; charset=utf-8',
    '<!doctype html><html><head><title>Please stand by</title></head><body><h1>We will be back soon</h1></body></html>',
  )

const escapeXml = (message: string) => message.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Builds an error response of the storage, which sends errors as XML. */
export const storageError = (status: number, code: string, message: string) =>
  textReply(
    status,
    'application/xml',
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escapeXml(message)}</Message></Error>`,
  )

export function refusalReply(refusal: ApiRefusal, shape: ErrorBodyShape = 'error'): Reply {
  const { status, code, message, details, upgradeUrl } = refusal
  if (shape === 'html') return htmlPage(status)
  if (shape === 'empty') return textReply(status, 'text/plain', '')
  if (shape === 'detailList') {
    const parameter = typeof details.parameter === 'string' ? details.parameter : 'query'
    return json(status, { detail: [{ loc: ['query', parameter], msg: message, type: code }] })
  }
  if (shape === 'nested') return json(status, { error: { code, message, details, upgrade_url: upgradeUrl } })
  return json(status, { [shape]: message, code, details, upgrade_url: upgradeUrl })
}
