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
