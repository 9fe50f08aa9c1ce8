import { calls, type CallInput, type CallOutput } from '#shared/contract/calls.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { CallName } from '#shared/contract/names.ts'
import type { CallContext, Handler, Handlers } from '#core/handler.ts'

export type Dispatch = <Name extends CallName>(
  name: Name,
  input: CallInput<Name>,
  context: CallContext,
) => Promise<CallOutput<Name>>

/**
 * The one way into the handlers: unknown names and inputs that break the schema never reach them, and what comes out
 * is a result or an AppError without secrets.
 */
export function createDispatch(handlers: Handlers, redact: (error: AppError) => AppError): Dispatch {
  async function handle<Name extends CallName>(name: Name, input: CallInput<Name>, context: CallContext) {
    if (!Object.hasOwn(calls, name)) throw new AppError('unknown-call', `“${String(name).slice(0, 60)}”`)
    const parsed = calls[name].input.safeParse(input)
    if (!parsed.success) throw new AppError('bad-input', describeIssues(name, parsed.error.issues))
    context.signal.throwIfAborted()
    const handler = handlers[name] as Handler<Name>
    return handler(parsed.data as Parameters<Handler<Name>>[0], context)
  }
  return async (name, input, context) => {
    try {
      return await handle(name, input, context)
    } catch (thrown) {
      throw redact(toAppError(thrown))
    }
  }
}

interface Issue {
  path: PropertyKey[]
  message: string
}

function describeIssues(name: string, issues: readonly Issue[]): string {
  const first = issues.slice(0, 3).map(({ path, message }) => `${path.map(String).join('.') || 'input'}: ${message}`)
  const more = issues.length > 3 ? `; and ${issues.length - 3} more` : ''
  return `${name}: ${first.join('; ')}${more}`
}
