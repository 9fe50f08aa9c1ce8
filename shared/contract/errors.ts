import { codeOf, isDiskFull } from '../units/fileKind.ts'

/**
 * Closed list of errors, each with a neutral sentence, a remedy for the user, and whether a retry may help. Details
 * (file, column, address) and the service's own message are separate fields.
 */
const errorFacts = {
  'bad-input': ['The input is not valid.', 'Check the values and try again.', false],
  'unknown-call': [
    'This version of Perpscope does not know the request.',
    'Reload the window, or update Perpscope.',
    false,
  ],
  cancelled: ['Cancelled.', 'Start it again when you need it.', false],
  disconnected: [
    'The connection to Perpscope on this machine was lost.',
    'Check that it is still running, then reload.',
    true,
  ],
  updated: [
    'Perpscope was updated or moved while it was running.',
    'Reload the window. If this stays, end Perpscope and start it again: nothing is lost.',
    false,
  ],
  internal: [
    'Something went wrong inside Perpscope.',
    'Copy the diagnostics from Settings → About and report the problem.',
    false,
  ],
  'not-found': ['The requested item does not exist, or no longer does.', 'Refresh the list and choose again.', false],
  conflict: [
    'The change conflicts with something that already exists.',
    'Resolve the conflict, then try again.',
    false,
  ],
  'not-here': [
    'The data is not in the cache on this machine.',
    'Download it while online, if the service has it.',
    false,
  ],
  offline: ['Perpscope is offline.', 'Go online with the switch in the top bar, then try again.', true],
  network: ['The service could not be reached.', 'Check the network, the proxy and the address, then try again.', true],
  timeout: ['The service did not answer in time.', 'Try again; if this persists, check the service’s status.', true],
  'no-key': ['No API key is set for this connection.', 'Set the key in Settings → Connections.', false],
  'invalid-key': [
    'The key of this connection is not valid.',
    'Set the key again in Settings → Connections, or correct it where the environment gives it.',
    false,
  ],
  unauthorized: ['The service refused the API key.', 'Replace the key in Settings → Connections.', false],
  login: [
    'The server refused the login.',
    'Set the user and the password or key of that server in Settings → Connections.',
    false,
  ],
  forbidden: [
    'The service does not allow the request with the current key.',
    'Check the subscription tier, or try another dataset.',
    false,
  ],
  rejected: [
    'The service did not accept the request.',
    'See the service’s message, change the request, then try again.',
    false,
  ],
  'rate-limited': [
    'The service is limiting the request rate.',
    'Wait; Perpscope retries automatically where it can.',
    true,
  ],
  service: ['The service reported an internal error.', 'Try again later.', true],
  'bad-answer': [
    'The service returned an unexpected response.',
    'Try again; if this persists, report the problem.',
    false,
  ],
  'too-large': [
    'The request or file is larger than Perpscope accepts.',
    'Request less, or choose a smaller file.',
    false,
  ],
  'corrupt-file': [
    'A file is damaged or is not what its name says.',
    'Run “Verify all files” under Settings → Cache, then download it again.',
    false,
  ],
  'disk-full': ['There is no space left on the disk.', 'Free up space, then try again.', true],
  'read-only': [
    'The data folder is not writable.',
    'Check the folder’s permissions, or choose another with --data-dir.',
    false,
  ],
  busy: ['Another instance of Perpscope is using the data folder.', 'Try again in a moment.', true],
  'database-newer': [
    'The data folder was last used by a newer version of Perpscope.',
    'Update Perpscope, or choose another folder with --data-dir.',
    false,
  ],
  'no-keychain': [
    'The system keychain cannot be used.',
    'Unlock it or set the key for this run in Settings → Connections, then try again.',
    false,
  ],
  policy: ['The policy of this machine forbids the action.', 'Ask the administrator of this machine.', false],
  unsupported: ['The action is not possible here.', 'See the details.', false],
} as const satisfies Record<string, readonly [sentence: string, remedy: string, retryable: boolean]>

export type ErrorCode = keyof typeof errorFacts
export const errorCodes = Object.keys(errorFacts) as [ErrorCode, ...ErrorCode[]]

/** Message, status and request id as the service sent them. */
export interface ServiceReply {
  message: string | null
  status: number | null
  requestId: string | null
}

/** An error in the shape that crosses process boundaries. */
export interface ErrorShape {
  code: ErrorCode
  sentence: string
  remedy: string
  retryable: boolean
  /** Details of the attempt or problem in our words; null if the sentence is enough. */
  detail: string | null
  service: ServiceReply | null
  /** Field of the input that the problem concerns, if there is one. */
  field?: string
}

export class AppError extends Error {
  readonly code: ErrorCode
  readonly detail: string | null
  readonly service: ServiceReply | null
  readonly field: string | undefined

  constructor(
    code: ErrorCode,
    detail: string | null = null,
    options: { service?: ServiceReply; cause?: unknown; field?: string | undefined } = {},
  ) {
    super(detail ? `${errorFacts[code][0]} ${detail}` : errorFacts[code][0], { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.detail = detail
    this.service = options.service ?? null
    this.field = options.field
  }

  get sentence(): string {
    return errorFacts[this.code][0]
  }

  get remedy(): string {
    return errorFacts[this.code][1]
  }

  get retryable(): boolean {
    return errorFacts[this.code][2]
  }

  toShape(): ErrorShape {
    const { code, sentence, remedy, retryable, detail, service, field } = this
    return { code, sentence, remedy, retryable, detail, service, ...(field !== undefined && { field }) }
  }

  static fromShape(shape: ErrorShape): AppError {
    const { code, detail, service, field } = shape
    return new AppError(code, detail, { ...(service && { service }), field })
  }
}

/**
 * Converts any thrown value to an AppError. An abort becomes `cancelled`, a full disk `disk-full`, a part of the program
 * that is no longer where it was `updated`; other foreign errors become `internal` without their text, which may contain
 * paths or secrets.
 */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  if (thrown instanceof Error && thrown.name === 'AbortError') return new AppError('cancelled')
  return new AppError(foreignCodeOf(thrown), null, { cause: thrown })
}

/** What Chromium, Firefox and Safari say when a part of the window cannot be loaded. */
const UNLOADED_PART = /dynamically imported module|importing a module script failed/i

function foreignCodeOf(thrown: unknown): ErrorCode {
  const code = codeOf(thrown)
  if (isDiskFull(code)) return 'disk-full'
  const isUnloaded = thrown instanceof TypeError && UNLOADED_PART.test(thrown.message)
  return code === 'ERR_MODULE_NOT_FOUND' || isUnloaded ? 'updated' : 'internal'
}
