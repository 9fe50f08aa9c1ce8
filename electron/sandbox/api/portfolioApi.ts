import { addDays, dayOf } from '#shared/time.ts'
import { text, type Reply } from '../http/reply.ts'
import type { SandboxContext } from './context.ts'

const historical = /^\/(price|risk-regime|portfolio\/(historical-weights|factors|universe|returns|risk-overlay))$/

/** Cuts a history's end to what a key without subscription may see. */
function cutHistory(call: string, query: URLSearchParams, nowMs: number, daysAgo: number): URLSearchParams {
  if (!historical.test(call)) return query
  const lastDay = addDays(dayOf(nowMs), -daysAgo)
  const cut = new URLSearchParams(query)
  const asked = query.get('end_date')
  if (asked === null || asked > lastDay) cut.set('end_date', lastDay)
  return cut
}

/** The twelve calls of the portfolio service. */
export async function answerPortfolioCall(
  context: SandboxContext,
  call: string,
  query: URLSearchParams,
): Promise<Reply> {
  const { jsonNaN, historyEndsDaysAgo } = context.faults.current
  const nowMs = context.clock.now()
  const asked = historyEndsDaysAgo === undefined ? query : cutHistory(call, query, nowMs, historyEndsDaysAgo)
  const { status, body } = await context.askPortfolio(call, asked.toString(), nowMs)
  return text(status, 'application/json', jsonNaN ? body.replace(/\bnull\b/g, 'NaN') : body)
}
