import type { CallOutput, ParsedInput } from '#shared/contract/calls.ts'
import type { CallName } from '#shared/contract/names.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import type { WindowHost } from '#core/ports.ts'

/** Context of the call that a handler serves. */
export interface CallContext {
  signal: AbortSignal
  progress(progress: Progress): void
  /** The host of the window that called. */
  host: WindowHost
}

export type Handler<Name extends CallName> = (
  input: ParsedInput<Name>,
  context: CallContext,
) => CallOutput<Name> | Promise<CallOutput<Name>>

/** The handlers of the named calls, by default of all calls. */
export type Handlers<Name extends CallName = CallName> = { [Each in Name]: Handler<Each> }

/** The calls of one area, e.g. `CallsOf<'settings'>`. */
export type CallsOf<Area extends string> = Extract<CallName, `${Area}.${string}`>
