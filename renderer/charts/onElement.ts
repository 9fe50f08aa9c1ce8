import { onMounted, type Ref, watch } from 'vue'

/**
 * Calls `found` with the element of a template once it exists: when the component is mounted, or later if the element is
 * in a part of the page that is built in its turn.
 */
export function onElement<Found extends HTMLElement>(
  element: Ref<Found | null>,
  found: (element: Found) => void,
): void {
  onMounted(() => watch(element, (now) => now && found(now), { immediate: true, flush: 'post' }))
}
