import type { Command } from '../stores/commands.ts'

export interface KeyCommands {
  offered: readonly Command[]
  singleKeys: boolean
  run(id: string): boolean
}

/** Time within which the second key of a sequence such as `g w` must follow. */
const SEQUENCE_MS = 1500

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

/**
 * Formats a key event in shortcut notation: `Mod+K`, `Mod+Shift+Z`, `?`, `w`. Shift is written only for a letter with
 * Mod, because every other character already depends on it.
 */
function shortcutOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string {
  const hasMod = isMac ? metaKey : ctrlKey
  const keyName = key.length === 1 ? (hasMod ? key.toUpperCase() : key) : key
  const hasShift = hasMod && shiftKey && /^[A-Z]$/.test(keyName)
  return `${hasMod ? 'Mod+' : ''}${altKey ? 'Alt+' : ''}${hasShift ? 'Shift+' : ''}${keyName === '+' && hasMod ? '=' : keyName}`
}

/**
 * Runs commands when their shortcuts are pressed.
 * @returns a function that stops this
 */
export function listenToKeys(commands: KeyCommands): () => void {
  let first: { key: string; atMs: number; target: EventTarget | null } | null = null

  /** Returns the command of the sequence that a key completes. */
  function sequenceCommand(key: string, { timeStamp }: KeyboardEvent): Command | undefined {
    const isInTime = first && timeStamp - first.atMs < SEQUENCE_MS
    return isInTime ? commandFor(commands.offered, `${first!.key} ${key}`) : undefined
  }

  function onKey(event: KeyboardEvent): void {
    if (event.isComposing || isModifier(event.key)) return
    const { target } = event
    const key = shortcutOf(event)
    const isBare = !/^(Mod|Alt)\+/.test(key)
    const areTaken = isBare && keysAreTaken(target)
    // A control may use the first key of a sequence, as a chart does to focus its date; the sequence then goes on.
    if (event.defaultPrevented) {
      first = isBare && !areTaken ? { key, atMs: event.timeStamp, target } : null
      return
    }
    if (isBare && !commands.singleKeys) return
    // The second key of a sequence is not typed into a field that the first one has focused.
    const isFieldOfFirst = isTextField(target) && first?.target !== target && !isDialogOpen()
    if (areTaken && !(isFieldOfFirst && sequenceCommand(key, event))) {
      first = null
      return
    }
    if (undoKeys.has(key) && isTextField(target)) return
    const command = sequenceCommand(key, event) ?? commandFor(commands.offered, key)
    first = command || !isBare ? null : { key, atMs: event.timeStamp, target }
    if (command && commands.run(command.id)) event.preventDefault()
  }
  const onPointer = () => (first = null)

  window.addEventListener('keydown', onKey)
  window.addEventListener('pointerdown', onPointer, true)
  return () => {
    window.removeEventListener('keydown', onKey)
    window.removeEventListener('pointerdown', onPointer, true)
  }
}

function commandFor(offered: readonly Command[], shortcut: string): Command | undefined {
  return offered.find((command) => command.shortcuts?.includes(shortcut))
}

const isModifier = (key: string) => ['Control', 'Shift', 'Alt', 'Meta'].includes(key)

/** Shortcuts that a text field uses for its own undo and redo. */
const undoKeys: ReadonlySet<string> = new Set(['Mod+Z', 'Mod+Y', 'Mod+Shift+Z'])

const isTextField = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest(TEXT_FIELDS) !== null)

/** Tells whether unmodified keys belong to a text field, a list of choices or an open dialog. */
function keysAreTaken(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (isTextField(target) || target.closest('select')) return true
  return isDialogOpen()
}

const isDialogOpen = () => document.querySelector('[aria-modal=true]') !== null

const FOCUSABLE = 'a[href], button, summary, select, input, [tabindex="0"]'
/** Text fields; they never get the focus automatically, because they would receive keys meant for the screen. */
const TEXT_FIELDS = 'input:not([type=radio], [type=checkbox]), textarea'
/** Time for which a focused button may be disabled before a neighbour gets the focus. */
const DISABLED_TIMEOUT_MS = 1500

/**
 * Preserves the focus for keyboard users. A button that is disabled while it works gets the focus back afterwards, even
 * if the focus had to move to the next element in between. When the focused element is removed, the next focusable
 * element gets the focus, unless the whole screen was removed.
 * @returns a function that stops this
 */
export function keepFocus(): () => void {
  let lastFocused: HTMLElement | null = null
  /** Ancestors of the last focused element, innermost first, recorded because a removed element no longer has them. */
  let ancestors: Element[] = []
  let isByKey = false
  let borrowTimer: ReturnType<typeof setTimeout> | undefined
  let returnTimer: ReturnType<typeof setTimeout> | undefined
  /** Node before the place where the focused element was removed. */
  let gap: Node | null = null
  /**
   * A button that is disabled for long, and the element that got the focus instead. When the button is enabled again,
   * the focus returns to the button unless the user has pressed a key or used the pointer.
   */
  let borrowed: { button: HTMLElement; borrower: Element | null } | null = null

  const isLost = () => document.activeElement === document.body || document.activeElement === lastFocused
  const onKey = () => {
    isByKey = true
    borrowed = null
  }
  const onPointer = () => {
    isByKey = false
    borrowed = null
  }
  function onFocus({ target }: FocusEvent): void {
    clearTimeout(borrowTimer)
    borrowTimer = undefined
    if (!(target instanceof HTMLElement)) return
    lastFocused = target
    ancestors = []
    for (let at = target.parentElement; at && !at.matches('main, body'); at = at.parentElement) ancestors.push(at)
  }

  function borrowFocus(): void {
    if (!isLost() || !lastFocused) return
    const button = lastFocused
    focusAfter(button)
    borrowed = { button, borrower: document.activeElement }
  }

  /**
   * Gives the focus back to a button that is no longer disabled.
   * @returns whether the button got it
   */
  function restoreFocus(): boolean {
    if (!borrowed?.button.isConnected || borrowed.button.matches(':disabled')) return false
    const { button, borrower } = borrowed
    borrowed = null
    const isUntouched = document.activeElement === borrower || document.activeElement === document.body
    if (isUntouched) button.focus()
    return isUntouched
  }

  function onMutation(records: readonly MutationRecord[]): void {
    if (restoreFocus()) return
    if (!lastFocused || !isByKey || !isLost()) return
    if (!lastFocused.isConnected) gap ??= nodeBefore(records, lastFocused)
    // The check is delayed, because Tab takes the focus from one element before it gives it to the next.
    returnTimer ??= setTimeout(returnFocus)
  }

  function returnFocus(): void {
    const place = gap
    returnTimer = undefined
    gap = null
    if (!lastFocused || !isLost()) return
    if (!lastFocused.isConnected) return focusAfter(place)
    if (lastFocused.matches(':disabled')) borrowTimer ??= setTimeout(borrowFocus, DISABLED_TIMEOUT_MS)
    else if (document.activeElement !== lastFocused) lastFocused.focus()
  }

  /**
   * Focuses the next focusable element after a node, or the last before it, within the nearest ancestor that has any.
   */
  function focusAfter(place: Node | null): void {
    for (const ancestor of ancestors.filter((each) => each.isConnected)) {
      const candidates = [...ancestor.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
        (each) => !each.matches(`:disabled, ${TEXT_FIELDS}`) && each.checkVisibility(),
      )
      const follows = (each: HTMLElement) =>
        !place ||
        (!place.contains(each) && (place.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING) > 0)
      const next = candidates.find(follows) ?? candidates.at(-1)
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
    clearTimeout(borrowTimer)
    clearTimeout(returnTimer)
    observer.disconnect()
    for (const [name, listener] of events) removeEventListener(name, listener as EventListener, true)
  }
}

/** Returns the node before the removed subtree that contained the element; null if there is none. */
function nodeBefore(records: readonly MutationRecord[], gone: Node): Node | null {
  const record = records.findLast(({ removedNodes }) => [...removedNodes].some((node) => node.contains(gone)))
  return record?.previousSibling ?? null
}
