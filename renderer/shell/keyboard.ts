import type { Command } from '../stores/commands.ts'

export interface KeyCommands {
  offered: readonly Command[]
  singleKeys: boolean
  run(id: string): boolean
}

/** Time within which the second key of a sequence such as `g w` must follow. */
const SEQUENCE_MS = 1500

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

/** Writes a key event as shortcuts are written: `Mod+K`, `?`, `w`. */
export function pressed({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string {
  const mod = isMac ? metaKey : ctrlKey
  const plain = key.length === 1 ? (mod ? key.toUpperCase() : key) : key
  return `${mod ? 'Mod+' : ''}${altKey ? 'Alt+' : ''}${plain === '+' && mod ? '=' : plain}`
}

/** Runs commands by their shortcuts. @returns a function that stops it */
export function listenToKeys(commands: KeyCommands): () => void {
  let first = ''
  let firstAtMs = 0

  function onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || isModifier(event.key)) return
    const key = pressed(event)
    const isBare = !/^(Mod|Alt)\+/.test(key)
    if (isBare && (!commands.singleKeys || isBusy(event.target))) return
    const sequence = first && event.timeStamp - firstAtMs < SEQUENCE_MS ? `${first} ${key}` : ''
    const command = commandFor(commands.offered, sequence) ?? commandFor(commands.offered, key)
    first = command || !isBare ? '' : key
    firstAtMs = event.timeStamp
    if (command && commands.run(command.id)) event.preventDefault()
  }

  window.addEventListener('keydown', onKey)
  return () => window.removeEventListener('keydown', onKey)
}

function commandFor(offered: readonly Command[], shortcut: string): Command | undefined {
  return offered.find((command) => command.shortcuts?.includes(shortcut))
}

const isModifier = (key: string) => ['Control', 'Shift', 'Alt', 'Meta'].includes(key)

/** Bare keys belong to a text field or an open dialog. */
function isBusy(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target.closest('input:not([type=radio],[type=checkbox]), textarea, select'))
    return true
  return document.querySelector('[aria-modal=true]') !== null
}
