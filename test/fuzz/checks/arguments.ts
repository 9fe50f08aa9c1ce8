import { stripVTControlCharacters } from 'node:util'
import { parse } from '../../../electron/cli/parse.ts'
import { createOutput } from '../../../electron/cli/print.ts'
import { allCommands } from '../../../electron/cli/registry.ts'
import { readCommandLine } from '../../../electron/cli/run.ts'
import { parseSize } from '../../../electron/cli/sizes.ts'
import { parseDayRange, instantOption, parseTimeRange } from '../../../electron/cli/timeRange.ts'
import { UsageError } from '../../../electron/cli/usageError.ts'
import { allowing, bytesOf, type Check, textOf } from '../check.ts'

const commands = await allCommands()

/** Reads command-line arguments, one per line, without running the command. */
export const check: Check = {
  seeds,
  tokens: [
    '\n',
    '--',
    '-',
    '=',
    ',',
    '--json',
    '--help',
    '-q',
    '\u001b[2J',
    '\u009b',
    '\u202e',
    '\r',
    '2026-01-01',
    '1e9',
    '龙',
    '\ud83d',
  ],
  async read(bytes) {
    const argv = textOf(bytes).split('\n')
    let shown = ''
    const sink = { write: (text: string) => void (shown += text), isTTY: true }
    const out = createOutput({ json: false, quiet: false, stdout: sink, stderr: sink, env: { NO_COLOR: '1' } })
    try {
      const read = await readCommandLine(argv)
      if (!read) parse(argv, {})
      for (const value of argv) readValues(value)
      out.line(read?.args.join(' ') ?? '')
    } catch (thrown) {
      if (!(thrown instanceof UsageError)) throw thrown
      if (thrown.message.trim() === '') return 'is refused without a reason'
      out.problem(thrown.message)
    }
    return harmless(shown) ? null : 'drives the terminal'
  },
}

function readValues(value: string): void {
  for (const work of [
    () => parseSize('size', value),
    () => instantOption('start', value),
    () => parseTimeRange(value, value),
    () => parseDayRange(value, value),
  ])
    allowing<unknown>([UsageError], work)
}

/** Tells whether a text contains nothing that a terminal would interpret. */
const harmless = (text: string): boolean =>
  stripVTControlCharacters(text) === text &&
  !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(text)

/** Builds a command line for every action of every command, with all of its options. */
function seeds(): Uint8Array[] {
  return commands.flatMap(({ verb, actions }) =>
    actions.map(({ name, args = [], options = {} }) => {
      const words = args.map(({ values }) => values?.[0] ?? 'BTC')
      const given = Object.entries(options).flatMap(([option, spec]) =>
        spec.type === 'flag'
          ? [`--${option}`]
          : [`--${option}`, spec.type === 'integer' ? String(spec.min) : 'flow,2026-08-01'],
      )
      return bytesOf([verb, ...(name === '' ? [] : [name]), ...words, ...given].join('\n'))
    }),
  )
}
