import { onScopeDispose, ref, type Ref } from 'vue'

/** The time, renewed every so often. */
export function useNow(everyMs = 20_000): Ref<number> {
  const nowMs = ref(Date.now())
  const timer = setInterval(() => (nowMs.value = Date.now()), everyMs)
  onScopeDispose(() => clearInterval(timer))
  return nowMs
}
