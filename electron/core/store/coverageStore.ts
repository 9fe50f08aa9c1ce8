import type { DayNumber } from '#shared/time/periods.ts'

/** A document of a service as it was fetched, and where from. */
export interface StoredDocument {
  connectionId: string
  /** `metrics-catalog`, `raw-catalog` or `symbols/<venue>`. */
  name: string
  /** JSON as it was validated. */
  body: string
  fetchedAtMs: number
  /** The service's own word on when it was made; null where it says nothing. */
  generatedAtMs: number | null
  source: string
}

export interface RawCoverageRow {
  dataset: string
  exchange: string
  symbol: string
  firstDay: DayNumber
  /** Inclusive, as the service states it. */
  lastDay: DayNumber
  /** Days with data; fewer than the span means that days are missing somewhere. */
  days: number
}

export interface CoverageChange {
  added: number
  gone: number
  longer: number
  /** A few of each for the person to see. */
  examples: { added: string[]; gone: string[]; longer: string[] }
}

/** The index of what exists at the services, each part with when and from where. */
export interface CoverageStore {
  document(connectionId: string, name: string): StoredDocument | undefined
  saveDocument(document: StoredDocument): void
  /** Replaces the coverage of a connection in one transaction and says what is different. */
  replaceCoverage(document: StoredDocument, rows: readonly RawCoverageRow[]): CoverageChange
  /** Replaces the symbols of one venue in one transaction and says what is different. */
  replaceSymbols(document: StoredDocument, exchange: string, symbols: readonly string[]): CoverageChange
  symbols(connectionId: string, exchange: string): string[]
  /** Symbols of all venues whose folded name holds the folded text, best first. */
  searchSymbols(connectionId: string, text: string, limit: number): { exchange: string; symbol: string }[]
  coverage(connectionId: string, filter: { dataset?: string; exchange?: string; symbol?: string }): RawCoverageRow[]
}
