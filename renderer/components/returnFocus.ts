import { onBeforeUnmount, type Ref } from 'vue'

/**
 * Restores the focus to where it was when the component opened, because keys would go nowhere once the focused element
 * is removed. A focus outside the component is left alone.
 */
export function returnFocus(root: Readonly<Ref<HTMLElement | null>>): void {
  const before = document.activeElement
  onBeforeUnmount(() => {
    if (before instanceof HTMLElement && root.value?.contains(document.activeElement)) before.focus()
  })
}
