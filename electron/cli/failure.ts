import { failureText, remedyText } from './text/messages.ts'
import { splitAtOffer } from '#shared/contract/planOffer.ts'
import { toAppError, type ErrorShape, type ServiceReply } from '#shared/contract/errors.ts'

/** A failure whose message says what happened and what to do; the program exits with status 1. */
export class Failure extends Error {}

/** Builds the message for a thrown value: what was attempted, what happened instead, and what the user can do now. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Failure ? thrown.message : sentencesOf(toAppError(thrown))
}

/** Builds the message for an error from the core, or for the reason why a connection is paused. */
export function sentencesOf(error: Pick<ErrorShape, 'sentence' | 'remedy' | 'detail' | 'service'> & { code: string }) {
  const { message, status } = error.service ?? { message: null, status: null }
  const reply =
    message || status !== null
      ? failureText.serviceReply(withFullStop([status, message].filter(Boolean).join(' ')))
      : null
  const detail = error.detail && withFullStop(error.detail)
  if (detail && reply === null && saysAll.includes(error.code)) return detail
  return [error.sentence, detail, reply, remedyOf(error)].filter(Boolean).join(' ')
}

/** Codes of errors of this machine whose detail says what is wrong and what to do. */
const saysAll = ['not-found', 'bad-input']

/** Ends a sentence with a full stop, which services often omit; an address stays as it can be opened. */
const withFullStop = (sentence: string) =>
  /[.?!]$/.test(sentence) || splitAtOffer(sentence)?.after === '' ? sentence : `${sentence}.`

const remedyOf = ({ code, remedy }: { code: string; remedy: string }): string => remedyText[code] ?? remedy

/** Returns a short message for one line of a list: the reply of the service, or else the sentence of the error. */
export const shortMessage = ({ service, sentence }: Pick<ErrorShape, 'service' | 'sentence'>): string =>
  service?.message ?? sentence

/** A failure whose reply has `words` in place of `message`; without Omit, the schema would demand both. */
type Published<Failed extends Pick<ErrorShape, 'service'>> = Omit<Failed, 'service'> & {
  service: (Omit<ServiceReply, 'message'> & { words: string | null }) | null
}

/** Returns the error in the published `--json` form, where the message of the service's reply has the key `words`. */
export function withPublishedReply<Failed extends Pick<ErrorShape, 'service'>>(failed: Failed): Published<Failed> {
  if (failed.service === null) return { ...failed, service: null }
  const { message, ...reply } = failed.service
  return { ...failed, service: { words: message, ...reply } }
}
