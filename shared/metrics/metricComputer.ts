import type { EventSource } from '../catalog/metricDatasets.ts'
import type { EventsOf } from './events.ts'
import { type ComputationRequest, IntervalComputer } from './intervalComputer.ts'
import type { MetricRows } from './metricRows.ts'
import { RowFiller } from './rowFiller.ts'

interface MetricComputer {
  /** All sources that the requested datasets need. */
  readonly sources: readonly EventSource[]
  /** Returns the source to feed next, or null if the rows are complete. */
  wants(): EventSource | null
  /** Feeds the next events of a source, in time order. The arrays may be reused after the call. */
  push<S extends EventSource>(source: S, events: EventsOf[S]): void
  end(source: EventSource): void
  /** Takes the rows finished since the last call, with gaps filled; one entry per requested dataset. */
  take(): MetricRows[]
}

/**
 * Computes metric datasets from events in one thread:
 *
 *     const computer = createMetricComputer({ datasets: ['slippage'], intervalSeconds: 60, startUs, endUs })
 *     for (let source; (source = computer.wants()); ) {
 *       const events = next(source)
 *       if (events) computer.push(source, events)
 *       else computer.end(source)
 *     }
 *     const [rows] = computer.take()
 */
export function createMetricComputer(request: ComputationRequest): MetricComputer {
  const computer = new IntervalComputer(request)
  const fillers = request.datasets.map((dataset) => new RowFiller(dataset, request.intervalSeconds))
  return {
    sources: computer.sources,
    wants: () => computer.wants(),
    push: (source, events) => computer.push(source, events),
    end: (source) => computer.end(source),
    take: () => computer.take().map((rows, i) => fillers[i].fill(rows)),
  }
}
