import { onBeforeUnmount, onMounted, shallowRef, type Ref } from 'vue'

/** The inner size of an element in its own pixels, whatever the window's zoom. */
export function useSize(element: Ref<HTMLElement | null>) {
  const size = shallowRef({ widthPx: 0, heightPx: 0 })
  const measure = () => {
    const { clientWidth: widthPx = 0, clientHeight: heightPx = 0 } = element.value ?? {}
    if (widthPx !== size.value.widthPx || heightPx !== size.value.heightPx) size.value = { widthPx, heightPx }
  }
  const observer = new ResizeObserver(measure)
  onMounted(() => {
    measure()
    if (element.value) observer.observe(element.value)
  })
  onBeforeUnmount(() => observer.disconnect())
  return size
}

/** How many pixels of the screen one of the element's own takes: pointers tell the former, layout knows the latter. */
export const zoomOf = (element: HTMLElement): number =>
  element.offsetWidth > 0 ? element.getBoundingClientRect().width / element.offsetWidth : 1
