import { onUnmounted } from 'vue'

const freeNames: string[] = []
let count = 0

/**
 * Returns a name for the radio buttons of a component that no other one has while it is mounted. Names are used again,
 * because Chromium keeps a group for each until the page is closed.
 */
export function radioName(): string {
  const name = freeNames.pop() ?? `choice-${++count}`
  onUnmounted(() => freeNames.push(name))
  return name
}
