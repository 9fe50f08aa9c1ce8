/** Where the step lies that an error asks for, by its code. */
export const remedyLinks: Readonly<Record<string, { message: string; address: string }>> = {
  unauthorized: { message: 'Set the key', address: '/settings/connections' },
  'no-key': { message: 'Set the key', address: '/settings/connections' },
  forbidden: { message: 'Connections', address: '/settings/connections' },
  'disk-full': { message: 'Cache settings', address: '/settings/cache' },
}
