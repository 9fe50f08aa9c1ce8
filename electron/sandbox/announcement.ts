import { identifiers } from './portfolio/identifiers.ts'
import { fundingTruth, type FundingTruth } from './market/funding.ts'
import { plantedList, type PlantedEffect } from './market/plantedList.ts'
import type { Sandbox } from './server.ts'

/** Addresses and keys of a running sandbox, for a user or a script. */
interface SandboxAnnouncement {
  /** Base URL, without `/api/v1`. */
  url: string
  /** API keys by tier, and the demo key. */
  keys: Record<string, string>
  catalog: string
  portfolios: readonly string[]
  factors: readonly string[]
  overlays: readonly string[]
  regimes: readonly string[]
  /** True funding period of every instrument. */
  funding: FundingTruth[]
  /** Effects that studies can find: of one symbol first, then of all small assets. */
  planted: PlantedEffect[]
}

export const announcementOf = ({ url, keys, catalogUrl, seed, venues, now }: Sandbox): SandboxAnnouncement => ({
  url,
  keys: { ...keys },
  catalog: catalogUrl,
  ...identifiers,
  funding: fundingTruth(seed, venues),
  planted: plantedList(seed, venues, now()),
})

/** Writes the addresses and keys as text lines; scripts rely on the first line. */
export function announcementLines({ url, keys, catalog, planted }: SandboxAnnouncement): string[] {
  return [
    `Sandbox is ready at ${url}`,
    ...Object.entries(keys).map(
      ([tier, key]) => `${tier === 'demo' ? 'Key of previews' : `Key of tier ${tier}`}: ${key}`,
    ),
    `Catalog of raw events: ${catalog}`,
    ...Object.entries(identifiers).map(([kind, ids]) => `${kind[0].toUpperCase()}${kind.slice(1)}: ${ids.join(', ')}`),
    effectsLine(planted),
  ]
}

/** Names the symbol with effects along time, which is the first of the list. */
function effectsLine(planted: readonly PlantedEffect[]): string {
  const [{ exchange, symbol }] = planted
  const effects = planted.filter((one) => one.symbol === symbol).map(({ effect }) => effect)
  return `Effects to find: ${effects.join(', ')} of ${symbol} on ${exchange} (sizes: --json)`
}
