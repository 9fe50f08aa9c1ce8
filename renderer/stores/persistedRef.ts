import { ref, watch, type Ref } from 'vue'

/**
 * Returns a ref that is stored in the browser's local storage, for preferences that other windows need not follow. A
 * stored value of the wrong shape is ignored, because another version or a user may have written it.
 */
export function persistedRef<Value>(
  name: string,
  initial: Value,
  isValue: (kept: unknown) => kept is Value,
): Ref<Value> {
  const key = `perpscope.${name}`
  const value = ref(read(key, isValue) ?? initial) as Ref<Value>
  watch(value, (now) => localStorage.setItem(key, JSON.stringify(now)), { flush: 'sync' })
  return value
}

function read<Value>(key: string, isValue: (kept: unknown) => kept is Value): Value | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    return isValue(kept) ? kept : null
  } catch {
    return null
  }
}

export const isStringArray = (kept: unknown): kept is string[] =>
  Array.isArray(kept) && kept.every((each) => typeof each === 'string')

export const isBoolean = (kept: unknown): kept is boolean => typeof kept === 'boolean'
