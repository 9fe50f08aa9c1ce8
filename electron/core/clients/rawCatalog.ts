import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import * as z from '#shared/schemas/lazySchemas.ts'
import { AppError, type ErrorCode, toAppError } from '#shared/contract/errors.ts'
import { codeOf, notFileText, unopenedText } from '#shared/units/fileKind.ts'
import type { HttpClient } from './http.ts'
import { parseResponse } from './parseResponse.ts'
import { withRetries } from './httpErrors.ts'

const MAX_CATALOG_BYTES = 256 * 1024 * 1024

/**
 * Accepts a catalog of any version, even with missing parts; its readers report such differences. Only a different kind
 * of document is refused.
 */
const rawCatalog = z
  .looseObject({
    datasets: z.unknown().optional(),
    coverage: z
      .looseObject({ generated_at: z.string().optional().catch(undefined), datasets: z.unknown().optional() })
      .optional()
      .catch(undefined),
  })
  .refine(
    ({ datasets, coverage }) => Array.isArray(datasets) || typeof coverage?.datasets === 'object',
    'it has neither datasets nor coverage, so it is not a catalog of raw events',
  )
export type RawCatalog = z.infer<typeof rawCatalog>

/** Reads the raw-event catalog from an address or a file. No key is sent, because the user can enter any address. */
export async function readRawCatalog(http: HttpClient, location: string, signal: AbortSignal): Promise<RawCatalog> {
  const value = /^https?:\/\//i.test(location)
    ? (await withRetries(() => http.json({ url: location, signal, maxBytes: MAX_CATALOG_BYTES }), signal)).value
    : await http.parse(await readCatalogFile(location, signal), location, signal)
  return parseResponse(rawCatalog, value)
}

/** Address at which a metrics service may have the catalog. */
export const foundCatalogUrl = (metricsUrl: string) => `${metricsUrl.replace(/\/+$/, '')}/api/v1/metadata/raw`

/** Codes of answers that say that there is no catalog; a service may check a key before it knows the address. */
const noCatalogCodes: readonly ErrorCode[] = [
  'not-found',
  'unauthorized',
  'no-key',
  'forbidden',
  'rejected',
  'bad-answer',
]

/** Looks for the catalog of a metrics service, without a key; null if the service answers that it has none. */
export async function findRawCatalog(
  http: HttpClient,
  metricsUrl: string,
  signal: AbortSignal,
): Promise<RawCatalog | null> {
  try {
    return await readRawCatalog(http, foundCatalogUrl(metricsUrl), signal)
  } catch (thrown) {
    if (noCatalogCodes.includes(toAppError(thrown).code)) return null
    throw thrown
  }
}

async function readCatalogFile(location: string, signal: AbortSignal): Promise<Uint8Array> {
  const path = /^file:/i.test(location) ? fileURLToPath(location) : location
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const facts = await file.stat()
      const problem = notFileText(path, facts)
      if (problem) throw new AppError('bad-input', problem)
      if (facts.size > MAX_CATALOG_BYTES) throw new AppError('too-large', path)
      return await file.readFile({ signal })
    } finally {
      await file.close()
    }
  } catch (thrown) {
    signal.throwIfAborted()
    if (thrown instanceof AppError) throw thrown
    throw new AppError('not-found', unopenedText(path, codeOf(thrown)), { cause: thrown })
  }
}
