import { componentsText } from '../text/components.ts'

const text = componentsText.error

/** Links to the screen that resolves an error, by error code. */
export const remedyLinks: Readonly<Record<string, { message: string; address: string }>> = {
  unauthorized: { message: text.setKey, address: '/settings/connections' },
  'no-key': { message: text.setKey, address: '/settings/connections' },
  forbidden: { message: text.connections, address: '/settings/connections' },
  'disk-full': { message: text.cacheSettings, address: '/settings/cache' },
}
