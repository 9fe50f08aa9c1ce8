import { identifiers } from './portfolio/identifiers.ts'
import type { Sandbox } from './server.ts'

/** Addresses and keys of a running sandbox, for a user or a script. */
export interface SandboxAnnouncement {
  /** Base URL, without `/api/v1`. */
  url: string
  /** API keys by tier, and the demo key. */
  keys: Record<string, string>
  catalog: string
  portfolios: readonly string[]
  factors: readonly string[]
  overlays: readonly string[]
  regimes: readonly string[]
}

export const announcementOf = ({ url, keys, catalogUrl }: Sandbox): SandboxAnnouncement => ({
  url,
  keys: { ...keys },
  catalog: catalogUrl,
  ...identifiers,
})

/** Writes the addresses and keys as text lines; scripts rely on the first line. */
export function announcementLines({ url, keys, catalog, ...identifiersByKind }: SandboxAnnouncement): string[] {
  return [
    `Sandbox is ready at ${url}`,
    ...Object.entries(keys).map(
      ([tier, key]) => `${tier === 'demo' ? 'Key of previews' : `Key of tier ${tier}`}: ${key}`,
    ),
    `Catalog of raw events: ${catalog}`,
    ...Object.entries(identifiersByKind).map(
      ([kind, ids]) => `${kind[0].toUpperCase()}${kind.slice(1)}: ${ids.join(', ')}`,
    ),
  ]
}
