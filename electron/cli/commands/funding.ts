import { fundingPeriodProblem, UNKNOWN_PERIOD } from '#shared/contract/areas/funding.ts'
import { action, exit, type Command } from '../command.ts'
import { findConnection } from '../connections.ts'
import { fundingText as text } from '../text/commands.ts'
import { UsageError } from '../usageError.ts'
import { noteUnlistedVenues, venuesOf } from '../venues.ts'

const set = action({
  name: 'set',
  summary: text.set.summary,
  options: {
    exchange: { type: 'text', value: 'VENUE', required: true, description: text.set.options.exchange },
    symbol: { type: 'text', value: 'SYMBOL', description: text.set.options.symbol },
    every: { type: 'text', value: 'PERIOD', required: true, description: text.set.options.every },
  },
  async run({ client, connection, options: { exchange, symbol = null, every }, out }) {
    const problem = every === UNKNOWN_PERIOD ? null : fundingPeriodProblem(every)
    if (problem !== null) throw new UsageError(`--every: ${problem}`)
    const core = await client()
    const { id } = await findConnection(core, connection)
    noteUnlistedVenues(out, await venuesOf(core, id), [exchange])
    await core.call('funding.setDefault', { exchange, symbol, every })
    const typed = await core.call('funding.defaults', {})
    const periodOf = (wanted: string | null) =>
      typed.find((each) => each.exchange === exchange && each.symbol === wanted)?.every ?? null
    out.result({ exchange, symbol, every: periodOf(symbol) }, () => [
      every === UNKNOWN_PERIOD
        ? text.set.removed(exchange, symbol, symbol === null ? null : periodOf(null))
        : text.set.done(exchange, symbol, every),
    ])
    return exit.done
  },
})

export const command: Command = {
  verb: 'funding',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope funding set --exchange VENUE --every 8h',
    'perpscope funding set --exchange VENUE --symbol perpetual-BTC-USDT:USDT --every 1h',
  ],
  actions: [set],
}
