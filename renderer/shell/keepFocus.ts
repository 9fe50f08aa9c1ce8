const FOCUSABLE = 'a[href], button, summary, select, input, [tabindex="0"]'
/** Text fields never get the focus this way, because what is typed was meant for the screen. */
const TEXT = 'input:not([type=radio], [type=checkbox]), textarea'
/** Time after which a neighbour gets the focus of a disabled button. */
const DISABLED_TIMEOUT_MS = 1500

/**
 * Keeps the focus of keyboard users. A button that is disabled while it works gets the focus back afterwards; when the
 * focused element was removed, the next focusable element gets it. A screen removed as a whole is left alone. @returns
 * a function that stops it
 */
export function keepFocus(): () => void {
  let last: HTMLElement | null = null
  /** Ancestors of the focused element, inner ones first; known only while it is in the document. */
  let above: Element[] = []
  let isByKey = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const isLost = () => document.activeElement === document.body || document.activeElement === last
  const onKey = () => (isByKey = true)
  const onPointer = () => (isByKey = false)
  function onFocus({ target }: FocusEvent): void {
    clearTimeout(timer)
    timer = undefined
    if (!(target instanceof HTMLElement)) return
    last = target
    above = []
    for (let at = target.parentElement; at && !at.matches('main, body'); at = at.parentElement) above.push(at)
  }

  function onMutation(records: readonly MutationRecord[]): void {
    if (!last || !isByKey || !isLost()) return
    if (!last.isConnected) return focusAfter(gapOf(records, last))
    const isOut = last.matches(':disabled')
    if (isOut) timer ??= setTimeout(() => isLost() && focusAfter(last), DISABLED_TIMEOUT_MS)
    else if (document.activeElement !== last) last.focus()
  }

  /** Focuses the first focusable element after a place, in the nearest ancestor that has one. */
  function focusAfter(place: Node | null): void {
    for (const around of above.filter((each) => each.isConnected)) {
      const able = [...around.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
        (each) => !each.matches(`:disabled, ${TEXT}`) && each.checkVisibility(),
      )
      const follows = (each: HTMLElement) =>
        !place ||
        (!place.contains(each) && (place.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING) > 0)
      const next = able.find(follows) ?? able.at(-1)
      if (next) return next.focus()
    }
  }

  const observer = new MutationObserver(onMutation)
  observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled'] })
  const events = [
    ['keydown', onKey],
    ['pointerdown', onPointer],
    ['focusin', onFocus],
  ] as const
  for (const [name, listener] of events) addEventListener(name, listener as EventListener, true)
  return () => {
    clearTimeout(timer)
    observer.disconnect()
    for (const [name, listener] of events) removeEventListener(name, listener as EventListener, true)
  }
}

/** Finds the node before the removed part that contained the element. */
function gapOf(records: readonly MutationRecord[], gone: Node): Node | null {
  const record = records.findLast(({ removedNodes }) => [...removedNodes].some((node) => node.contains(gone)))
  return record?.previousSibling ?? null
}
