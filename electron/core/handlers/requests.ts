import { Readable } from 'node:stream'
import { cellOf, type Column, type Frame } from '#shared/contract/frame.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import { csvLine } from '#shared/units/csvCell.ts'
import { requestFrame, type RequestLog } from '#core/requests/requestLog.ts'

export function requestHandlers(log: RequestLog): Handlers<CallsOf<'requests'>> {
  return {
    'requests.list': ({ limit }) => requestFrame(log.newestFirst(limit)),
    'requests.clear': () => {
      log.clear()
      return null
    },
    'requests.export': (_input, { host }) =>
      host.save({ name: 'requests.csv', type: 'text/csv' }, () =>
        Readable.from(csvLines(requestFrame(log.newestFirst(10_000)))),
      ),
  }
}

function* csvLines(frame: Frame): Generator<string> {
  yield csvLine(frame.columns.map((column) => column.name))
  for (let row = 0; row < frame.rows; row++) {
    yield csvLine(frame.columns.map((column) => csvValue(column, row)))
  }
}

function csvValue(column: Column, row: number): string | number | null {
  const cell = cellOf(column, row)
  return column.kind === 'time' && typeof cell === 'number' ? new Date(cell).toISOString() : cell
}
