import { symbolsText as text } from '../text/commands.ts'
import { terminalCell } from '#shared/units/terminalText.ts'
import { soleAction, exit, type CliCommand } from '../command.ts'
import { findConnection } from '../connections.ts'
import { changeLines, freshnessNote } from '../freshnessNote.ts'
import { venuesOf } from '#shared/contract/venuesOf.ts'
import { noteUnlistedVenues } from '../venues.ts'

export const command: CliCommand = {
  verb: 'symbols',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope symbols --exchange VENUE | grep 龙'],
  actions: [
    soleAction({
      summary: text.run.summary,
      options: {
        exchange: {
          type: 'text',
          value: 'VENUE',
          required: true,
          fromConnection: true,
          description: text.run.options.exchange,
        },
        refresh: { type: 'flag', description: text.run.options.refresh },
      },
      readsOnly: true,
      async run({ client, connection, options, out, signal }) {
        const core = await client()
        const { id: connectionId } = await findConnection(core, connection)
        const input = { connectionId, exchange: options.exchange ?? '', refresh: options.refresh }
        noteUnlistedVenues(out, await venuesOf(core, connectionId), [input.exchange])
        const answer = await core.call('discovery.symbols', input, { signal })
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
