/** The keys by subscription tier, and the demo key, which opens previews only. */
export const sandboxKeys = {
  '0': 'sandbox-tier-0',
  '1': 'sandbox-tier-1',
  '2': 'sandbox-tier-2',
  '3': 'sandbox-tier-3',
  demo: 'sandbox-demo',
} as const

export type Access = number | 'demo'

/** Returns the tier of a key, or that it is the demo key; null if the sandbox has no such key. */
export function accessOf(key: string | undefined): Access | null {
  const [name] = Object.entries(sandboxKeys).find(([, known]) => known === key) ?? []
  if (name === undefined) return null
  return name === 'demo' ? name : Number(name)
}
