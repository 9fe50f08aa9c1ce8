import { defineStore } from 'pinia'
import { type Ref, shallowRef } from 'vue'

const useWindowRefs = defineStore('windowRefs', () => ({ refs: new Map<string, Ref<unknown>>() }))

/**
 * Returns the ref of this name. Its value stays until the window is closed or reloaded, so that a part of a screen that
 * is opened again shows what it showed before.
 */
export function windowRef<Value>(name: string, initial: Value): Ref<Value> {
  const { refs } = useWindowRefs()
  if (!refs.has(name)) refs.set(name, shallowRef(initial))
  return refs.get(name) as Ref<Value>
}
