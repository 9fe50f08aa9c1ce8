import { ref, watch, type Ref } from 'vue'

/**
 * Returns a ref that is stored in the browser's local storage, for preferences that other windows need not follow. A
 * stored value of the wrong shape is ignored, because another version or a user may have written it.
 */
export function persistedRef<Value>(
  name: string,
  initial: Value,
  isValue: (stored: unknown) => stored is Value,
): Ref<Value> {
  const key = `perpscope.${name}`
  const value = ref(read(key, isValue) ?? initial) as Ref<Value>
  watch(value, (now) => localStorage.setItem(key, JSON.stringify(now)), { flush: 'sync' })
  return value
}

function read<Value>(key: string, isValue: (stored: unknown) => stored is Value): Value | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    return isValue(stored) ? stored : null
  } catch {
    return null
  }
}

export const isStringArray = (stored: unknown): stored is string[] =>
  Array.isArray(stored) && stored.every((each) => typeof each === 'string')

export const isBoolean = (stored: unknown): stored is boolean => typeof stored === 'boolean'
