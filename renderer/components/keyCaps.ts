const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

const capLabels: Record<string, string> = isMac
  ? { Mod: '⌘', Alt: '⌥', Shift: '⇧', '=': '+' }
  : { Mod: 'Ctrl', '=': '+' }

const capOf = (key: string) => capLabels[key] ?? (/^[a-z]$/.test(key) ? key.toUpperCase() : key)

/** Splits a shortcut into key caps, step by step: `g w` → [[G], [W]], `Mod+K` → [[Ctrl, K]]. */
export function keyCaps(shortcut: string): string[][] {
  return shortcut.split(' ').map((step) => step.split('+').map(capOf))
}
