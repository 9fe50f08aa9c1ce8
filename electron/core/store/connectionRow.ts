import * as z from '#shared/schemas/lazySchemas.ts'
import type { Venue } from '#shared/catalog/venues.ts'
import type { ConnectionFields } from '#shared/contract/areas/connections.ts'
import { venueShape } from '#shared/contract/venueShape.ts'
import { storedJsonOr } from './storedJson.ts'

export interface StoredConnection extends ConnectionFields {
  id: string
  active: boolean
  builtIn: boolean
}

/** A row of the connections table. */
export interface ConnectionRow {
  id: string
  name: string
  metrics_url: string
  portfolio_url: string
  catalog_location: string
  tier: number | null
  active: number
  built_in: number
  private_storage: number
  store: string
  store_endpoint: string
  store_plain_http: number
  /** JSON array of the typed venues. */
  venues: string
  preview: number
}

export const connectionOf = (row: ConnectionRow): StoredConnection => ({
  id: row.id,
  name: row.name,
  metricsUrl: row.metrics_url,
  portfolioUrl: row.portfolio_url,
  catalogLocation: row.catalog_location,
  tier: row.tier,
  active: row.active === 1,
  builtIn: row.built_in === 1,
  ...(row.private_storage === 1 && { privateStorage: true }),
  ...(row.store !== '' && { store: row.store }),
  ...(row.store_endpoint !== '' && { storeEndpoint: row.store_endpoint }),
  ...(row.store_plain_http === 1 && { storePlainHttp: true }),
  ...(row.preview === 1 && { preview: true }),
  ...(row.venues !== '[]' && { venues: storedJsonOr(row.venues, isVenueList, []) }),
})

const isVenueList = (value: unknown): value is Venue[] => z.array(venueShape).safeParse(value).success
