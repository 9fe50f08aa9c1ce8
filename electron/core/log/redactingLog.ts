import type { Logger } from '#core/ports.ts'
import type { Redactor } from '#core/clients/redact.ts'

/** The host's log behind the redactor: nothing of the core reaches it any other way. */
export const redactingLog = (log: Logger, redactor: Redactor): Logger => ({
  write: (level, message) => log.write(level, redactor.text(message)),
})
