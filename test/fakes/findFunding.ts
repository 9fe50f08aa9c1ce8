import { type FindFunding, fundingOf } from '#core/funding/instrumentFunding.ts'
import { readFundingEvidence } from '#core/series/fundingEvidence.ts'
import type { FundingTask } from '#core/series/readerTask.ts'
import type { SeriesReader } from '#core/series/seriesReader.ts'
import type { Store } from '#core/store/store.ts'

/** Finds funding periods in a store without a thread. */
export function findFundingIn(store: Store): FindFunding {
  const run = ((_name: 'funding', task: FundingTask) =>
    Promise.resolve(readFundingEvidence(task))) as SeriesReader['run']
  return (request, signal) => fundingOf({ store, reader: { run } }, request, signal)
}
