import { componentsText } from '../text/components.ts'

const text = componentsText.error

/** Links to the screen that resolves an error, by error code. */
export const remedyLinks: Readonly<Record<string, { label: string; address: string }>> = {
  unauthorized: { label: text.setKey, address: '/settings/connections' },
  'invalid-key': { label: text.setKey, address: '/settings/connections' },
  'no-key': { label: text.setKey, address: '/settings/connections' },
  forbidden: { label: text.connections, address: '/settings/connections' },
  'disk-full': { label: text.cacheSettings, address: '/settings/cache' },
}
