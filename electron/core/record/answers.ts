import type { HistoryRequest } from '#shared/catalog/portfolioRequest.ts'
import { AppError } from '#shared/contract/errors.ts'
import { numberColumn, timeColumn } from '#shared/contract/frame.ts'
import { dayFrame, type HistoryMatrix } from '#shared/portfolio/dailySeries.ts'
import type { ReportSource } from '#shared/report/reportContent.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { OpenPortfolio } from '#core/portfolio/portfolios.ts'
import type { LoadHistory } from './returnsSource.ts'
import { answerHash, type KeptAnswer, type ReportFiles } from './sourceFiles.ts'

interface AnswerDeps {
  openPortfolio: OpenPortfolio
  sources: ReportFiles
}

/** Creates a loader that requests histories from the service, as the window does, and keeps each response as a file. */
export function servedHistoryLoader(
  { openPortfolio, sources: files }: AnswerDeps,
  { connectionId, signal }: { connectionId: string; signal: AbortSignal },
  sources: ReportSource[],
): LoadHistory {
  return async (request) => {
    const { value, freshness } = await openPortfolio(connectionId).history(
      request,
      { start: null, end: null },
      {},
      signal,
    )
    const answer = answerOf(request, value)
    sources.push(files.keepAnswer(answer, { service: freshness.source, fetchedAt: freshness.fetchedAt }))
    return { rows: dayFrame(value), freshness }
  }
}

export interface ReplayedAnswers {
  connectionId: string
  /** Sources of the replayed report, whose kept responses replace the service; null for a new report. */
  replayedSources: readonly Pick<ReportSource, 'path' | 'sha256'>[] | null
  /** True if a replay reads the responses that are stored now in place of the kept ones. */
  areAnswersCurrent?: boolean
}

/**
 * Creates a loader that answers histories without a request: with the responses that a report kept, or with those that
 * are stored now.
 */
export function keptHistoryLoader(
  { sources: files, openPortfolio }: AnswerDeps,
  { replayedSources, areAnswersCurrent = false, connectionId }: ReplayedAnswers,
  sources: ReportSource[],
): LoadHistory {
  return async (request) => {
    const requestKey = keyOf(request)
    for (const source of replayedSources ?? []) {
      const kept = files.readAnswer(source)
      if (kept === null || keyOf(requestOf(kept)) !== requestKey) continue
      const current = areAnswersCurrent ? await storedAnswer(openPortfolio, connectionId, kept) : null
      sources.push({ ...source, service: '', fetchedAt: null })
      return { rows: rowsOf(current ?? kept), freshness: null }
    }
    throw new AppError('not-here', 'The report does not contain the service’s answer to this request.')
  }
}

const FACTS = 'facts'

/** Facts that a result was computed from and that no cached file has, kept like a response of the service. */
export const factsFile = {
  keep: (
    files: ReportFiles,
    question: string,
    facts: unknown,
    source: { service: string; fetchedAt: number },
  ): ReportSource => files.keepAnswer({ endpoint: FACTS, request: { question, facts }, days: [], columns: [] }, source),
  read<Facts>(
    files: ReportFiles,
    replayedSources: NonNullable<ReplayedAnswers['replayedSources']>,
    question: string,
    sources: ReportSource[],
  ): Facts {
    for (const source of replayedSources) {
      const kept = files.readAnswer(source)
      const found = kept?.endpoint === FACTS ? (kept.request as { question: string; facts: Facts }) : null
      if (found?.question !== question) continue
      sources.push({ ...source, service: '', fetchedAt: null })
      return found.facts
    }
    throw new AppError('not-here', 'The report does not contain the facts that this was computed from.')
  },
}

/** Returns the hash of the answer that is stored now in place of a kept one; null if none is stored. */
export async function currentAnswerHash(
  { openPortfolio, sources: files }: AnswerDeps,
  source: Pick<ReportSource, 'path'>,
  connectionId: string,
): Promise<string | null> {
  const kept = files.readAnswer(source)
  const current = kept && (await storedAnswer(openPortfolio, connectionId, kept))
  return current && answerHash(current)
}

async function storedAnswer(
  openPortfolio: OpenPortfolio,
  connectionId: string,
  kept: KeptAnswer,
): Promise<KeptAnswer | null> {
  if (kept.endpoint === FACTS) return null
  const request = requestOf(kept)
  const stored = await openPortfolio(connectionId).storedHistory(request)
  return stored && answerOf(request, stored)
}

const requestOf = ({ endpoint, request }: KeptAnswer): HistoryRequest =>
  ({ endpoint, ...(request as object) }) as HistoryRequest

const keyOf = (request: HistoryRequest): string => JSON.stringify(Object.entries(request).sort())

function answerOf(request: HistoryRequest, history: HistoryMatrix): KeptAnswer {
  const { endpoint, ...rest } = request
  const columns = dayFrame(history)
    .columns.slice(1)
    .flatMap((column) =>
      column.kind === 'text'
        ? []
        : [
            {
              name: column.name,
              values: Array.from(column.values, (each, row) => (column.valid?.[row] === 0 ? null : each)),
            },
          ],
    )
  return { endpoint, request: rest, days: [...history.days], columns }
}

const rowsOf = ({ days, columns }: KeptAnswer) => ({
  rows: days.length,
  columns: [
    timeColumn(
      'time',
      days.map((day) => day * MS_PER_DAY),
    ),
    ...columns.map(({ name, values }) => numberColumn(name, values)),
  ],
})
