import { onBeforeUnmount, type Ref } from 'vue'

/**
 * When the component is removed, returns the focus to where it was when the component opened, because otherwise no
 * element would get the keys. A focus outside the component is left alone.
 */
export function returnFocus(root: Readonly<Ref<HTMLElement | null>>): void {
  const focusedBefore = document.activeElement
  onBeforeUnmount(() => {
    if (focusedBefore instanceof HTMLElement && root.value?.contains(document.activeElement)) focusedBefore.focus()
  })
}
