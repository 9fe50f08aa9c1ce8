import { ref, shallowRef, type Ref, type ShallowRef } from 'vue'
import { toAppError, type AppError } from '#shared/contract/errors.ts'

/** A value that is fetched on request; the last one stays during a reload and after a failed reload. */
interface Resource<Value, Query = void> {
  value: ShallowRef<Value | null>
  /** Query that `value` answers; during a load, still the previous one. */
  answeredQuery: ShallowRef<Query | null>
  /** Error of the last load; null after a successful one. */
  error: ShallowRef<AppError | null>
  isLoading: Ref<boolean>
  /**
   * Loads the value; a load that is still running is aborted.
   * @returns the value, or null if the load failed or was aborted
   */
  load(query: Query): Promise<Value | null>
  /** Loads the value unless it is loaded or loading. */
  ensure(query: Query): Promise<Value | null>
  forget(): void
}

export function createResource<Value, Query = void>(
  request: (query: Query, signal: AbortSignal) => Promise<Value>,
): Resource<Value, Query> {
  const value = shallowRef<Value | null>(null)
  const answeredQuery = shallowRef<Query | null>(null)
  const error = shallowRef<AppError | null>(null)
  const isLoading = ref(false)
  let controller = new AbortController()
  let runningCall: Promise<Value | null> | null = null

  async function run(query: Query, signal: AbortSignal): Promise<Value | null> {
    isLoading.value = true
    try {
      const answer = await request(query, signal)
      if (signal.aborted) return null
      value.value = answer
      answeredQuery.value = query
      error.value = null
      return answer
    } catch (thrown) {
      if (!signal.aborted) error.value = toAppError(thrown)
      return null
    } finally {
      if (!signal.aborted) {
        isLoading.value = false
        runningCall = null
      }
    }
  }

  function load(query: Query): Promise<Value | null> {
    controller.abort()
    controller = new AbortController()
    return (runningCall = run(query, controller.signal))
  }

  function forget(): void {
    controller.abort()
    runningCall = null
    isLoading.value = false
    value.value = null
    answeredQuery.value = null
    error.value = null
  }

  return {
    value,
    answeredQuery,
    error,
    isLoading,
    load,
    ensure: (query) => (value.value ? Promise.resolve(value.value) : (runningCall ?? load(query))),
    forget,
  }
}

/**
 * Wraps a request that is repeated, such as one for a list, so that an answer that comes late never replaces that of a
 * later request.
 */
export function inOrder<Query extends unknown[], Answer>(
  request: (...query: Query) => Promise<Answer>,
  take: (answer: Answer, ...query: Query) => void,
): (...query: Query) => Promise<Answer> {
  let asked = 0
  let taken = 0
  return async (...query) => {
    const turn = ++asked
    const answer = await request(...query)
    if (turn > taken) {
      taken = turn
      take(answer, ...query)
    }
    return answer
  }
}

/** Answer of a call, or its error. */
export interface Outcome<Answer> {
  answer: Answer | null
  error: AppError | null
}

/** Turns a call into an outcome that never rejects, for calls that may fail independently. */
export const outcomeOf = <Answer>(call: Promise<Answer>): Promise<Outcome<Answer>> =>
  call.then(
    (answer) => ({ answer, error: null }),
    (thrown: unknown) => ({ answer: null, error: toAppError(thrown) }),
  )

/** Wraps a start function so that it runs once for all callers, and again only after a failure. */
export function startOnce(begin: () => Promise<void>): () => Promise<void> {
  let starting: Promise<void> | null = null
  return () => {
    starting ??= begin().catch((thrown: unknown) => {
      starting = null
      throw thrown
    })
    return starting
  }
}
