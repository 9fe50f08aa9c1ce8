import type { AnswerHeaders } from './exchange.ts'

const LONGEST_WORDS = 400

/** What a service said of its trouble, whatever the shape of the body: JSON of several habits, XML, HTML, text, nothing. */
export function serviceReply(body: string): string | null {
  const message = fromJson(body) ?? fromMarkup(body)
  const short = message.replace(/\s+/g, ' ').trim()
  if (short === '') return null
  return short.length > LONGEST_WORDS ? `${short.slice(0, LONGEST_WORDS)}…` : short
}

function fromJson(body: string): string | null {
  try {
    return wordsIn(JSON.parse(body) as unknown)
  } catch {
    return null
  }
}

const names = ['error', 'message', 'detail', 'description', 'title', 'msg']

function wordsIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.slice(0, 5).map(wordsIn).filter(Boolean).join('; ')
  if (typeof value !== 'object' || value === null) return ''
  const entries = new Map(Object.entries(value))
  const found = names.map((name) => wordsIn(entries.get(name))).filter(Boolean)
  const place = entries.get('loc')
  const where = Array.isArray(place) ? `${place.join('.')}: ` : ''
  const code = entries.get('code')
  const suffix = found.length > 0 && (typeof code === 'string' || typeof code === 'number') ? ` (${code})` : ''
  return `${where}${[...new Set(found)].join(': ')}${suffix}`
}

function fromMarkup(body: string): string {
  const message = /<message>([^<]*)<\/message>/i.exec(body)?.[1]
  if (message !== undefined) {
    const code = /<code>([^<]*)<\/code>/i.exec(body)?.[1]
    return code ? `${message} (${code})` : message
  }
  if (!/^\s*</.test(body)) return body
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1]
  return title ?? body.replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ')
}

const requestIdHeaders = ['x-request-id', 'x-amzn-requestid', 'x-amz-request-id', 'x-correlation-id', 'cf-ray']

export function requestIdOf(headers: AnswerHeaders): string | null {
  const id = requestIdHeaders.map((name) => headers.get(name)).find((value) => value !== null)
  return id?.slice(0, 100) ?? null
}
