import { symbolsText as text } from '../text/commands.ts'
import { isVenue, venues } from '#shared/catalog/venues.ts'
import { terminalCell } from '#shared/units/terminalText.ts'
import { AppError } from '#shared/contract/errors.ts'
import { soleAction, exit, type Command } from '../command.ts'
import { findConnection } from '../connections.ts'
import { changeLines, freshnessNote } from '../freshnessNote.ts'
import { unknownValueError } from '../usageError.ts'

export const command: Command = {
  verb: 'symbols',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope symbols --exchange venuea-futures | grep 龙'],
  actions: [
    soleAction({
      summary: text.run.summary,
      options: {
        exchange: { type: 'text', value: 'VENUE', required: true, description: text.run.options.exchange },
        refresh: { type: 'flag', description: text.run.options.refresh },
      },
      async run({ client, connection, options, out, signal }) {
        const core = await client()
        const { id: connectionId } = await findConnection(core, connection)
        const input = { connectionId, exchange: options.exchange ?? '', refresh: options.refresh }
        const answer = await core.call('discovery.symbols', input, { signal }).catch((thrown: unknown) => {
          const isRefused = thrown instanceof AppError && (thrown.code === 'rejected' || thrown.code === 'not-found')
          throw isRefused && !isVenue(input.exchange) ? unknownValueError('venue', input.exchange, venues) : thrown
        })
        const { symbols, freshness, changed } = answer
        out.result({ exchange: input.exchange, symbols, learned: freshness, changed }, () =>
          answer.symbols.map(terminalCell),
        )
        for (const line of changeLines(answer.changed, answer.symbols.length)) out.note(line)
        out.note(freshnessNote(answer.freshness))
        return exit.done
      },
    }),
  ],
}
