import { toAppError, type ErrorShape } from '#shared/contract/errors.ts'

/** Something failed and its message says what and what to do; the program ends with status 1. */
export class Failure extends Error {}

/** What the person reads: what was tried, what came back, what they can do now. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Failure ? thrown.message : sentencesOf(toAppError(thrown))
}

/** The same of what stands still, or of an error as it crossed. */
export function sentencesOf(error: Pick<ErrorShape, 'sentence' | 'remedy' | 'detail' | 'service'> & { code: string }) {
  const { message, status } = error.service ?? { message: null, status: null }
  const said = message || status !== null ? `The service said: ${[status, message].filter(Boolean).join(' ')}.` : null
  const detail = error.detail && (/[.?!]$/.test(error.detail) ? error.detail : `${error.detail}.`)
  return [error.sentence, detail, said, remedyOf(error)].filter(Boolean).join(' ')
}

const setKey = 'Set the key with “perpscope key set NAME”, or give it in PERPSCOPE_API_KEY.'

/** Where the way on is another one than in a window. */
const remedies: Readonly<Record<string, string>> = {
  'no-key': setKey,
  unauthorized: setKey,
  'not-found': 'Check the names and try again.',
  'not-here': 'Leave --offline out, or bring it in with “perpscope fetch” or “perpscope import”.',
  offline: 'Leave --offline out, or check the network, then try again.',
  'corrupt-file': 'Run “perpscope verify --deep --repair” and fetch it again.',
  internal: 'The log tells more: it is in the folder “logs” of what “perpscope where” prints.',
}

/** For files that were named as not readable. */
export const mendUnread = 'To fetch them anew: “perpscope verify --deep --repair”, then “perpscope fetch”.'

export const remedyOf = ({ code, remedy }: { code: string; remedy: string }): string => remedies[code] ?? remedy

/** For a line among many: the service's own words, else our sentence. */
export const shortWords = ({ service, sentence }: Pick<ErrorShape, 'service' | 'sentence'>): string =>
  service?.message ?? sentence

/** The error with the service's reply as `--json` has always printed it: its message stands under the key `words`. */
export function withPublishedReply<Failed extends Pick<ErrorShape, 'service'>>(failed: Failed) {
  if (failed.service === null) return { ...failed, service: null }
  const { message, ...reply } = failed.service
  return { ...failed, service: { words: message, ...reply } }
}
