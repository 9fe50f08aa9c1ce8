import { text, type Reply } from '../http/reply.ts'
import type { SandboxContext } from './context.ts'

/** Answers the twelve calls of the portfolio service on a thread of their own. */
export async function answerPortfolioCall(
  { seed, clock, faults, askPortfolio }: SandboxContext,
  path: string,
  query: URLSearchParams,
): Promise<Reply> {
  const { jsonNaN = false, historyEndsDaysAgo = 0 } = faults.current
  const { status, body } = await askPortfolio({
    seed,
    path,
    query: query.toString(),
    nowMs: clock.now(),
    historyDelayDays: historyEndsDaysAgo,
    hasNanLiterals: jsonNaN,
  })
  return text(status, 'application/json', body)
}
