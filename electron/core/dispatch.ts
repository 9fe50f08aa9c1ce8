import { type Area, areaCalls } from '#shared/contract/areaCalls.ts'
import type { CallInput, CallOutput, ParsedInput } from '#shared/contract/calls.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import { type CallName, callNames } from '#shared/contract/names.ts'
import type { CallContext, CallsOf, Handler, Handlers } from '#core/handler.ts'

export type Dispatch = <Name extends CallName>(
  name: Name,
  input: CallInput<Name>,
  context: CallContext,
) => Promise<CallOutput<Name>>

/**
 * Functions that create the handlers of each area; each loads the area's code, and runs when the area is first called.
 */
export type HandlersByArea = { readonly [Each in Area]: () => Promise<Handlers<CallsOf<Each>>> }

const knownNames: ReadonlySet<string> = new Set(callNames)

/**
 * Creates the only entry to the handlers: unknown names and inputs that violate the schema never reach them, and the
 * outcome is a result or an AppError without secrets.
 */
export function createDispatch(byArea: HandlersByArea, redact: (error: AppError) => AppError): Dispatch {
  const loadedByArea = new Map<Area, ReturnType<typeof load>>()
  async function load(area: Area) {
    const [calls, handlers] = await Promise.all([areaCalls[area](), byArea[area]()])
    return { calls, handlers: handlers as Partial<Handlers> }
  }
  /** Loads an area once; a failed load is retried by the next call. */
  function loadAreaOf(name: CallName): ReturnType<typeof load> {
    const area = name.slice(0, name.indexOf('.')) as Area
    const current = loadedByArea.get(area)
    if (current) return current
    const loading = load(area)
    loading.catch(() => loadedByArea.delete(area))
    loadedByArea.set(area, loading)
    return loading
  }

  async function handle<Name extends CallName>(name: Name, input: CallInput<Name>, context: CallContext) {
    if (!knownNames.has(name)) throw new AppError('unknown-call', `“${String(name).slice(0, 60)}”`)
    const { calls, handlers } = await loadAreaOf(name)
    const parsed = calls[name].input.safeParse(input)
    if (!parsed.success) throw new AppError('bad-input', describeIssues(name, parsed.error.issues))
    context.signal.throwIfAborted()
    const handler = handlers[name] as Handler<Name>
    return handler(parsed.data as ParsedInput<Name>, context)
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
  const shownIssues = issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.map(String).join('.') || 'input'}: ${message}`)
  const more = issues.length > 3 ? `; and ${issues.length - 3} more` : ''
  return `${name}: ${shownIssues.join('; ')}${more}`
}
