import { Readable } from 'node:stream'
import { cellOf, type Frame } from '#shared/contract/frame.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
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
  yield `${frame.columns.map((column) => column.name).join(',')}\n`
  for (let row = 0; row < frame.rows; row++) {
    yield `${frame.columns.map((column) => String(cellOf(column, row) ?? '')).join(',')}\n`
  }
}
