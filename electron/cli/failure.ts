import { toAppError, type ErrorShape } from '#shared/contract/errors.ts'

/** Something failed and its message says what and what to do; the program ends with status 1. */
export class Failure extends Error {}

/** What the person reads: what was tried, what came back, what they can do now. */
export function wordsOf(thrown: unknown): string {
  if (thrown instanceof Failure) return thrown.message
  const error = toAppError(thrown)
  const { words, status } = error.service ?? { words: null, status: null }
  const said = words || status !== null ? `The service said: ${[status, words].filter(Boolean).join(' ')}.` : null
  const detail = error.detail && (/[.?!]$/.test(error.detail) ? error.detail : `${error.detail}.`)
  return [error.sentence, detail, said, error.remedy].filter(Boolean).join(' ')
}

/** For a line among many: the service's own words, else our sentence. */
export const shortWords = ({ service, sentence }: ErrorShape): string => service?.words ?? sentence
