import type { z } from 'zod'
import { appCalls } from './areas/app.ts'
import { bookCalls } from './areas/book.ts'
import { cacheCalls } from './areas/cache.ts'
import { connectionCalls } from './areas/connections.ts'
import { coverageCalls } from './areas/coverage.ts'
import { dataCalls } from './areas/data.ts'
import { discoveryCalls } from './areas/discovery.ts'
import { documentCalls } from './areas/documents.ts'
import { folderCalls } from './areas/folder.ts'
import { downloadCalls } from './areas/downloads.ts'
import { fileCalls } from './areas/files.ts'
import { fundingCalls } from './areas/funding.ts'
import { instrumentCalls } from './areas/instruments.ts'
import { labCalls } from './areas/lab.ts'
import { ledgerCalls } from './areas/ledger.ts'
import { listCalls } from './areas/lists.ts'
import { networkCalls } from './areas/network.ts'
import { portfolioCalls } from './areas/portfolio.ts'
import { qualityCalls } from './areas/quality.ts'
import { rawCalls } from './areas/raw.ts'
import { reportCalls } from './areas/report.ts'
import { requestCalls } from './areas/requests.ts'
import { returnsCalls } from './areas/returns.ts'
import { seriesCalls } from './areas/series.ts'
import { sampleCalls } from './areas/sample.ts'
import { settingsCalls } from './areas/settings.ts'
import { sqlCalls } from './areas/sql.ts'
import { vaultCalls } from './areas/vault.ts'
import { watchCalls } from './areas/watch.ts'
import { boardCalls } from './areas/boards.ts'
import { inboxCalls } from './areas/inbox.ts'
import type { CallName } from './names.ts'
import type { CallSpec, PerKind } from './spec.ts'

/** All calls: `area.verb` → schema of its input and type of its output. */
export const calls = {
  ...appCalls,
  ...bookCalls,
  ...cacheCalls,
  ...connectionCalls,
  ...coverageCalls,
  ...documentCalls,
  ...folderCalls,
  ...dataCalls,
  ...discoveryCalls,
  ...downloadCalls,
  ...fileCalls,
  ...fundingCalls,
  ...instrumentCalls,
  ...labCalls,
  ...ledgerCalls,
  ...listCalls,
  ...networkCalls,
  ...portfolioCalls,
  ...qualityCalls,
  ...rawCalls,
  ...reportCalls,
  ...requestCalls,
  ...returnsCalls,
  ...seriesCalls,
  ...sampleCalls,
  ...settingsCalls,
  ...sqlCalls,
  ...vaultCalls,
  ...watchCalls,
  ...inboxCalls,
  ...boardCalls,
} satisfies Record<CallName, CallSpec<z.ZodType, unknown>>

type Calls = typeof calls

/** Input as a caller passes it, before defaults. */
export type CallInput<Name extends CallName> = z.input<Calls[Name]['input']>
/** Input as a handler receives it: parsed, with defaults filled in. */
export type ParsedInput<Name extends CallName> = z.output<Calls[Name]['input']>
/** Output of a call; of a call for documents, that of the kind that its input names. */
export type CallOutput<Name extends CallName, Kind = unknown> = OutputOf<
  Exclude<Calls[Name]['output'], undefined>,
  Kind
>

type OutputOf<Output, Kind> =
  Output extends PerKind<infer ByKind> ? ByKind[Kind extends keyof ByKind ? Kind : keyof ByKind] : Output

/** Calls that an area defines but `names.ts` does not list; the constant below fails to compile if there are any. */
type UnlistedCalls = Exclude<keyof Calls, CallName>
const noUnlistedCalls: [UnlistedCalls] extends [never] ? true : UnlistedCalls = true
void noUnlistedCalls
