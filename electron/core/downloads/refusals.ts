import { intervalTier, isInterval } from '#shared/catalog/intervals.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { AnswerStore, Refusal } from '#core/store/answerStore.ts'
import type { Job } from '#core/store/job.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'

/** What keys do not open, as far as is known: asked for with every file, looked up only when it may be different. */
export interface Refusals {
  of(series: OwnedSeries): Refusal | undefined
  /** The service refused a job, with these words. */
  record(job: Job, message: string | null, nowMs: number): void
  clear(refusal: Refusal): void
  forget(): void
}

export function createRefusals(answers: AnswerStore): Refusals {
  const known = new Map<string, Refusal[]>()

  function all(connectionId: string): Refusal[] {
    const refusals = known.get(connectionId) ?? answers.refusals(connectionId)
    known.set(connectionId, refusals)
    return refusals
  }

  return {
    of: (series) => refusalOf(all(series.connectionId), series),
    record({ series, createdAtMs }, message, nowMs) {
      const part = refusedPart(series)
      const isTold = all(series.connectionId).some(
        ({ dataset, interval, atMs }) => dataset === part.dataset && interval === part.interval && atMs >= createdAtMs,
      )
      if (isTold) return
      answers.recordRefusal({ connectionId: series.connectionId, ...part, message, atMs: nowMs })
      known.clear()
    },
    clear({ connectionId, dataset, interval }) {
      answers.clearRefusal(connectionId, dataset, interval)
      known.clear()
    },
    forget: () => known.clear(),
  }
}

export function refusalOf(refusals: readonly Refusal[], { dataset, interval }: OwnedSeries): Refusal | undefined {
  return refusals.find((each) => each.dataset === dataset && (each.interval === '' || each.interval === interval))
}

export const refused = ({ message, atMs, dataset, interval }: Refusal) =>
  new AppError(
    'forbidden',
    `${[dataset, interval].filter(Boolean).join(' ')} was refused on ${new Date(atMs).toISOString().slice(0, 10)}`,
    {
      service: { message, status: 403, requestId: null },
    },
  )

/** What a refusal of the API is about: intervals that need a tier of their own may be the reason, else it is the dataset. */
const refusedPart = ({ dataset, interval }: OwnedSeries) => ({
  dataset,
  interval: isInterval(interval) && intervalTier(interval) > 0 ? interval : '',
})
