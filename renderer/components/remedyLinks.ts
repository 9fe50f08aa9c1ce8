/** Where the step lies that an error asks for, by its code. */
export const remedyLinks: Readonly<Record<string, { words: string; address: string }>> = {
  unauthorized: { words: 'Set the key', address: '/settings/connections' },
  'no-key': { words: 'Set the key', address: '/settings/connections' },
  forbidden: { words: 'Connections', address: '/settings/connections' },
  'disk-full': { words: 'Cache settings', address: '/settings/cache' },
}
