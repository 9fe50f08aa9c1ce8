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

/**
 * Tells whether the focus is inside an element, or nowhere. If not, the user has moved it while work ran, and its end
 * leaves it there.
 */
export function hasFocus(root: Element | null | undefined): boolean {
  const { activeElement, body } = document
  return activeElement === null || activeElement === body || root?.contains(activeElement) === true
}
