const FOCUSABLE = 'a[href], button, summary, select, input, [tabindex="0"]'
/** Typing into these would be meant for the screen. */
const TEXT = 'input:not([type=radio], [type=checkbox]), textarea'
/** What works for longer than this gives its place to a neighbour. */
const PATIENCE_MS = 1500

/**
 * Keeps the place of who works by keyboard. A button that is out of use while it works has the focus again afterwards;
 * where what had it is gone, what follows it gets it. A screen that went as a whole is no such place.
 * @returns a function that ends it
 */
export function keepFocus(): () => void {
  let last: HTMLElement | null = null
  /** What it lies in, from the inside out; known only while it is there. */
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

  function look(records: readonly MutationRecord[]): void {
    if (!last || !isByKey || !isLost()) return
    if (!last.isConnected) return focusAfter(gapOf(records, last))
    const isOut = last.matches(':disabled')
    if (isOut) timer ??= setTimeout(() => isLost() && focusAfter(last), PATIENCE_MS)
    else if (document.activeElement !== last) last.focus()
  }

  /** The first that can have it after this place, as near by as possible. */
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

  const observer = new MutationObserver(look)
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

/** What stood before the part that went with it. */
function gapOf(records: readonly MutationRecord[], gone: Node): Node | null {
  const record = records.findLast(({ removedNodes }) => [...removedNodes].some((node) => node.contains(gone)))
  return record?.previousSibling ?? null
}
