import type { HistoryRequest } from '#shared/catalog/portfolioRequest.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { OpenPortfolio } from '#core/portfolio/portfolios.ts'
import type { Clock } from '#core/ports.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import { sourceHistories } from '../sourceHistories.ts'
import { isScored } from './forwardRuns.ts'

/** Lists the histories that scored runs read beside their rows, each once. */
export function recordedHistories({ tables }: Ledger): HistoryRequest[] {
  const found = new Map<string, HistoryRequest>()
  for (const { entry } of tables.entries()) {
    if (!isScored(entry) || entry.study.kind === 'blend' || !entry.study.source) continue
    for (const request of sourceHistories(entry.study.source)) found.set(JSON.stringify(request), request)
  }
  return [...found.values()]
}

/** Days before today that are asked for; only those that are missing or may have changed are fetched. */
const DAYS = 60

/**
 * Fetches the latest days of histories that were read before, because no download brings them. One that cannot be fetched
 * is left as it is: the runs that need it say so.
 */
export async function refreshHistories(
  { openPortfolio, clock }: { openPortfolio: OpenPortfolio; clock: Clock },
  requests: readonly HistoryRequest[],
  signal: AbortSignal,
): Promise<void> {
  const today = Math.floor(clock.nowMs() / MS_PER_DAY)
  for (const request of requests) {
    const portfolio = openPortfolio('')
    if (!portfolio.find(request)?.range) continue
    await portfolio.history(request, { start: today - DAYS, end: today }, { isPreview: true }, signal).catch(() => {
      signal.throwIfAborted()
    })
  }
}
