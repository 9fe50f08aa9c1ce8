import type { ErrorShape, ServiceReply } from '#shared/contract/errors.ts'

/** The database keeps the message of a service under the key `words`, as version 0.1.0 wrote it. */
type StoredReply = Omit<ServiceReply, 'message'> & { words: string | null }

/** An error as the text that the database keeps. */
export function errorToText(error: ErrorShape): string {
  if (error.service === null) return JSON.stringify(error)
  const { message, ...reply } = error.service
  return JSON.stringify({ ...error, service: { words: message, ...reply } satisfies StoredReply })
}

/** Reads an error that `errorToText` wrote. */
export function errorFromText(text: string): ErrorShape {
  const stored = JSON.parse(text) as Omit<ErrorShape, 'service'> & { service: StoredReply | null }
  if (stored.service === null) return { ...stored, service: null }
  const { words, ...reply } = stored.service
  return { ...stored, service: { message: words, ...reply } }
}
