import { LINK_LIFETIME_SECONDS, presign } from '../access/links.ts'
import { storageHostOf } from '../files/storageHosts.ts'
import { storagePath, type StoredFileName } from '../files/storagePath.ts'
import type { SandboxContext } from './context.ts'

/** Creates a link to a file, valid from now. */
export function linkTo(
  context: SandboxContext,
  name: StoredFileName,
  lifetimeSeconds: number = LINK_LIFETIME_SECONDS,
): string {
  const path = storagePath(name)
  const lifetime = context.faults.current.linkLifetimeSeconds ?? lifetimeSeconds
  return `${context.storageUrls[storageHostOf(name)]}${path}?${presign(context.secret, path, context.clock.now(), lifetime)}`
}
