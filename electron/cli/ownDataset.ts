import type { CallOutput } from '#shared/contract/calls.ts'
import type { Client } from '#shared/contract/client.ts'
import type { Frame } from '#shared/contract/frame.ts'
import { ownNameOf } from '#shared/formula/ownData.ts'
import type { TimeRange } from '#shared/time/ranges.ts'

/** Commands that read a dataset of the user's own need neither a clock nor an instrument. */

export type OwnFacts = CallOutput<'data.show'>

/** Finds the own dataset that an option names; null for a dataset of a service. */
export async function ownDataset(core: Client, dataset: string | undefined): Promise<OwnFacts | null> {
  const name = dataset === undefined ? null : ownNameOf(dataset)
  return name === null ? null : core.call('data.show', { name })
}

/** Reads the rows of an own dataset page by page, by their labels. */
export async function* ownRows(
  core: Client,
  { name, columns, ...range }: TimeRange & { name: string; columns: string[] },
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  for (let startMs: number | null = range.startMs; startMs !== null;) {
    const { rows, nextMs }: CallOutput<'data.rows'> = await core.call(
      'data.rows',
      { name, columns, startMs, endMs: range.endMs },
      { signal },
    )
    yield rows
    startMs = nextMs
  }
}
