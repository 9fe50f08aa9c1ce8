/** Keys of the queue, for the sheet of shortcuts. */
export const downloadKeys: readonly (readonly [shortcuts: readonly string[], what: string])[] = [
  [['p', 'r'], 'Pause, resume'],
  [['Del'], 'Cancel'],
  [['=', '−'], 'Higher, lower priority'],
  [['Alt+↑', 'Alt+↓'], 'Earlier, later in the queue'],
]
