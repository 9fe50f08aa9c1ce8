import { onBeforeUnmount, onMounted, watch } from 'vue'

/** Place in the window, in its own pixels, beside which a popup opens. */
export type PopupAnchor = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>

/** Distance of a popup from the edges of the window, and from its anchor. */
const EDGE_PX = 8
const GAP_PX = 2

/** Returns the factor between the pixels of the window and those of an element, which the zoom setting changes. */
const zoomOf = (element: HTMLElement): number => ('currentCSSZoom' in element ? Number(element.currentCSSZoom) : 1)

/** Places a popup below its anchor, or above it where more room is, and limits it to that room. */
function place(popup: HTMLElement, anchor: PopupAnchor, isAsWide: boolean): void {
  const { style } = popup
  const zoom = zoomOf(popup)
  style.maxHeight = ''
  if (isAsWide) style.width = `${(anchor.right - anchor.left) / zoom}px`
  const { width, height } = popup.getBoundingClientRect()
  const roomBelow = innerHeight - anchor.bottom - GAP_PX - EDGE_PX
  const roomAbove = anchor.top - GAP_PX - EDGE_PX
  const isAbove = height > roomBelow && roomAbove > roomBelow
  const shownHeight = Math.min(height, isAbove ? roomAbove : roomBelow)
  const rightmost = innerWidth - width - EDGE_PX
  const left = anchor.left <= rightmost ? anchor.left : Math.min(anchor.right - width, rightmost)
  style.left = `${Math.max(EDGE_PX, left) / zoom}px`
  style.top = `${(isAbove ? anchor.top - GAP_PX - shownHeight : anchor.bottom + GAP_PX) / zoom}px`
  if (shownHeight < height) style.maxHeight = `${shownHeight / zoom}px`
}

/**
 * Draws an element with `popover="manual"` and the class `popup` above all containers, so that none cuts it, and keeps
 * it beside its anchor and inside the window.
 * @param popup returns the element while it is shown, else null
 */
export function usePopup(
  popup: () => HTMLElement | null,
  anchor: () => PopupAnchor,
  { isAsWide = false }: { isAsWide?: boolean } = {},
): void {
  let shown: HTMLElement | null = null
  const update = () => shown && place(shown, anchor(), isAsWide)
  const onScroll = ({ target }: Event) => {
    if (!shown?.contains(target as Node)) update()
  }

  function hide(): void {
    if (shown?.isConnected) shown.hidePopover?.()
    shown = null
    removeEventListener('resize', update)
    removeEventListener('scroll', onScroll, { capture: true })
  }

  function follow(element: HTMLElement | null): void {
    if (element === shown) return
    hide()
    if (!element) return
    shown = element
    element.showPopover?.()
    update()
    addEventListener('resize', update)
    addEventListener('scroll', onScroll, { capture: true, passive: true })
  }

  // A popup that is shown from the start is shown before its component moves the focus into it.
  onMounted(() => follow(popup()))
  watch(popup, follow, { flush: 'post' })
  onBeforeUnmount(hide)
}
