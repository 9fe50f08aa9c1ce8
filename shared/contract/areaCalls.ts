import type { z } from 'zod'
import type { CallName } from './names.ts'
import type { CallSpec } from './spec.ts'

/** First part of the name of a call. */
export type Area = CallName extends infer Name ? (Name extends `${infer First}.${string}` ? First : never) : never

type AreaCalls = Readonly<Record<string, CallSpec<z.ZodType, unknown>>>

/**
 * Schemas of the calls of each area. They load one area at a time, because schemas are slow to build and a command
 * needs few.
 */
export const areaCalls: Readonly<Record<Area, () => Promise<AreaCalls>>> = {
  app: async () => (await import('./areas/app.ts')).appCalls,
  boards: async () => (await import('./areas/boards.ts')).boardCalls,
  book: async () => (await import('./areas/book.ts')).bookCalls,
  cache: async () => (await import('./areas/cache.ts')).cacheCalls,
  connections: async () => (await import('./areas/connections.ts')).connectionCalls,
  coverage: async () => (await import('./areas/coverage.ts')).coverageCalls,
  data: async () => (await import('./areas/data.ts')).dataCalls,
  discovery: async () => (await import('./areas/discovery.ts')).discoveryCalls,
  documents: async () => (await import('./areas/documents.ts')).documentCalls,
  downloads: async () => (await import('./areas/downloads.ts')).downloadCalls,
  files: async () => (await import('./areas/files.ts')).fileCalls,
  folder: async () => (await import('./areas/folder.ts')).folderCalls,
  funding: async () => (await import('./areas/funding.ts')).fundingCalls,
  inbox: async () => (await import('./areas/inbox.ts')).inboxCalls,
  instruments: async () => (await import('./areas/instruments.ts')).instrumentCalls,
  keys: async () => (await import('./areas/connections.ts')).connectionCalls,
  lab: async () => (await import('./areas/lab.ts')).labCalls,
  ledger: async () => (await import('./areas/ledger.ts')).ledgerCalls,
  lists: async () => (await import('./areas/lists.ts')).listCalls,
  network: async () => (await import('./areas/network.ts')).networkCalls,
  portfolio: async () => (await import('./areas/portfolio.ts')).portfolioCalls,
  quality: async () => (await import('./areas/quality.ts')).qualityCalls,
  raw: async () => (await import('./areas/raw.ts')).rawCalls,
  report: async () => (await import('./areas/report.ts')).reportCalls,
  requests: async () => (await import('./areas/requests.ts')).requestCalls,
  returns: async () => (await import('./areas/returns.ts')).returnsCalls,
  sample: async () => (await import('./areas/sample.ts')).sampleCalls,
  series: async () => (await import('./areas/series.ts')).seriesCalls,
  settings: async () => (await import('./areas/settings.ts')).settingsCalls,
  sql: async () => (await import('./areas/sql.ts')).sqlCalls,
  vault: async () => (await import('./areas/vault.ts')).vaultCalls,
  watch: async () => (await import('./areas/watch.ts')).watchCalls,
}
