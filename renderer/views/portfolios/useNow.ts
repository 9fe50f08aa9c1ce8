import { onScopeDispose, ref, type Ref } from 'vue'

/** Reads the current time at a regular pace. */
export function useNow(everyMs = 20_000): Ref<number> {
  const nowMs = ref(Date.now())
  const timer = setInterval(() => (nowMs.value = Date.now()), everyMs)
  onScopeDispose(() => clearInterval(timer))
  return nowMs
}
