/** The demo keys, one per subscription tier. */
export const sandboxKeys = {
  '0': 'sandbox-tier-0',
  '1': 'sandbox-tier-1',
  '2': 'sandbox-tier-2',
  '3': 'sandbox-tier-3',
} as const

/** Returns the tier of a key; null if the key is not one of the demo keys. */
export function tierOf(key: string | undefined): number | null {
  const found = Object.entries(sandboxKeys).find(([, known]) => known === key)
  return found ? Number(found[0]) : null
}
