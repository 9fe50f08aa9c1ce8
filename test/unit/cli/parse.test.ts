import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { action, exit } from '../../../electron/cli/command.ts'
import { parse, positionalsOf } from '../../../electron/cli/parse.ts'
import { UsageError } from '../../../electron/cli/usageError.ts'

const sample = action({
  name: '',
  summary: 'sample',
  args: [{ name: 'NAME', description: 'a name', optional: true }],
  options: {
    port: { type: 'integer', value: 'N', min: 0, max: 65_535, description: 'port' },
    symbol: { type: 'list', value: 'S', description: 'symbols' },
    format: { type: 'text', value: 'F', values: ['csv', 'json'], description: 'format' },
    out: { type: 'path', value: 'PATH', description: 'file' },
    open: { type: 'flag', description: 'open' },
  },
  run: async () => exit.done,
})

const read = (...argv: string[]) => parse(argv, sample)

describe('parse', () => {
  it('reads every kind of option, before and after the arguments', () => {
    const argv = ['--port', '80', 'desk', '--symbol=a,b', '--symbol', 'c', '--out', 'x', '--open', '--json']
    const { options, args } = read(...argv)
    expect(args).toEqual(['desk'])
    expect(options).toMatchObject({ port: 80, symbol: ['a', 'b', 'c'], out: 'x', open: true, json: true, quiet: false })
  })

  it('takes the last of a repeated option', () => {
    expect(read('--port', '1', '--port=2').options.port).toBe(2)
  })

  it('takes what follows -- as arguments', () => {
    expect(read('--', '--port').args).toEqual(['--port'])
  })

  it.each([
    [['--prot', '1'], 'Unknown option “--prot”. Did you mean “--port”?'],
    [['-x'], 'Unknown option “-x”.'],
    [['--port'], '--port needs a value: --port N.'],
    [['--port', '-1'], '--port must be a whole number from 0 to 65535, not “-1”.'],
    [['--out', '--open'], '--out needs a value: --out PATH.'],
    [['--port', '65536'], '--port must be a whole number from 0 to 65535, not “65536”.'],
    [['--port', '8o'], '--port must be a whole number from 0 to 65535, not “8o”.'],
    [['--port='], '--port must be a whole number from 0 to 65535, not “”.'],
    [['--format', '7'], 'Unknown value for --format “7”. One of: csv, json.'],
    [['--format', 'jsn'], 'Unknown value for --format “jsn”. Did you mean “json”?'],
    [['--open=yes'], '--open takes no value.'],
    [['--symbol', 'a,,b'], '--symbol must not be empty.'],
    [['--out='], '--out must not be empty.'],
    [['a', 'b'], 'Unexpected argument “b”.'],
  ])('refuses %j with a message', (argv, description) => {
    expect(() => read(...argv)).toThrow(new UsageError(description))
  })

  it('asks for what is required, but not where help is wanted', () => {
    const strict = action({
      name: '',
      summary: 'strict',
      args: [{ name: 'NAME', description: 'a name' }],
      options: { start: { type: 'text', value: 'DATE', required: true, description: 'from' } },
      run: async () => exit.done,
    })
    expect(() => parse(['x'], strict)).toThrow('--start DATE is missing.')
    expect(() => parse(['--start', '1'], strict)).toThrow('NAME is missing: a name')
    expect(parse(['--help'], strict).options.help).toBe(true)
  })

  it('takes as many arguments as there are where the last one takes many', () => {
    const many = { args: [{ name: 'PATH', description: 'files', many: true }] as const }
    expect(parse(['a', 'b', 'c'], many).args).toEqual(['a', 'b', 'c'])
    expect(() => parse([], many)).toThrow('PATH is missing')
  })

  it('either reads any words or refuses them as wrong usage, and never fails otherwise', () => {
    const awkward = [
      '--port',
      '--open',
      '--symbol',
      '--',
      '-q',
      '--json=1',
      '-',
      '__proto__',
      '--__proto__',
      '--constructor',
    ]
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom(...awkward)), { maxLength: 6 }), (argv) => {
        try {
          read(...argv)
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(UsageError)
        }
      }),
    )
  })
})

it('refuses an empty path as an argument, which would be the current folder', () => {
  const path = [{ name: 'FOLDER', description: 'a folder', path: true as const }]
  expect(() => parse([''], { args: path })).toThrow('FOLDER must not be empty.')
  expect(parse([''], { args: [{ name: 'QUERY', description: 'a query' }] }).args).toEqual([''])
})

describe('positionalsOf', () => {
  it('does not take the value of an option for a word', () => {
    expect(positionalsOf(['--out', 'a', 'b', '--open', 'c'], sample.options ?? {})).toEqual([
      { index: 2, value: 'b' },
      { index: 4, value: 'c' },
    ])
  })
})
