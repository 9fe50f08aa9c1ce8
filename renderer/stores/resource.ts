import { ref, shallowRef, type Ref, type ShallowRef } from 'vue'
import { toAppError, type AppError } from '#shared/contract/errors.ts'

/** Something that is asked for, shown while it is asked for again, and kept where asking fails. */
export interface Resource<Value, Wish = void> {
  value: ShallowRef<Value | null>
  /** The request that `value` answers: while another one is on its way, still the one before. */
  answered: ShallowRef<Wish | null>
  /** Why the last asking failed; null after one that went well. */
  error: ShallowRef<AppError | null>
  isLoading: Ref<boolean>
  /** Asks; an earlier asking that still runs is given up. @returns null where it failed or was given up */
  load(wish: Wish): Promise<Value | null>
  /** Asks where nothing is here and nothing is on its way. */
  ensure(wish: Wish): Promise<Value | null>
  forget(): void
}

export function createResource<Value, Wish = void>(
  ask: (wish: Wish, signal: AbortSignal) => Promise<Value>,
): Resource<Value, Wish> {
  const value = shallowRef<Value | null>(null)
  const answered = shallowRef<Wish | null>(null)
  const error = shallowRef<AppError | null>(null)
  const isLoading = ref(false)
  let controller = new AbortController()
  let running: Promise<Value | null> | null = null

  async function run(wish: Wish, signal: AbortSignal): Promise<Value | null> {
    isLoading.value = true
    try {
      const answer = await ask(wish, signal)
      if (signal.aborted) return null
      value.value = answer
      answered.value = wish
      error.value = null
      return answer
    } catch (thrown) {
      if (!signal.aborted) error.value = toAppError(thrown)
      return null
    } finally {
      if (!signal.aborted) {
        isLoading.value = false
        running = null
      }
    }
  }

  function load(wish: Wish): Promise<Value | null> {
    controller.abort()
    controller = new AbortController()
    return (running = run(wish, controller.signal))
  }

  function forget(): void {
    controller.abort()
    running = null
    isLoading.value = false
    value.value = null
    answered.value = null
    error.value = null
  }

  return {
    value,
    answered,
    error,
    isLoading,
    load,
    ensure: (wish) => (value.value ? Promise.resolve(value.value) : (running ?? load(wish))),
    forget,
  }
}
