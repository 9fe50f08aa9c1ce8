import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { exit } from '../../../electron/cli/command.ts'
import { commandHelp, programHelp, shortHelp, shortProgramHelp, synopsis } from '../../../electron/cli/help.ts'
import { allCommands, registry } from '../../../electron/cli/registry.ts'

const commands = await allCommands()

describe('the registry', () => {
  it('knows each command by its own verb', () => {
    expect(commands.map(({ verb }) => verb)).toEqual(Object.keys(registry))
  })

  it('has a line for each file of a command', () => {
    const files = readdirSync(new URL('../../../electron/cli/commands', import.meta.url))
    expect(commands.length).toBe(files.length)
  })

  it('has either one nameless action or only named ones', () => {
    for (const { actions } of commands) {
      const names = actions.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      expect(names.includes('')).toBe(names.length === 1 && names[0] === '')
    }
  })
})

describe('help', () => {
  it('names every command, exit status and variable', () => {
    const help = programHelp(commands)
    for (const { verb } of commands) expect(help.split('\n')).toContain(`       ${verb}`)
    for (const status of Object.values(exit)) expect(help).toMatch(new RegExp(`^ +${status}$`, 'm'))
    const short = shortProgramHelp(commands)
    for (const { verb } of commands) expect(short).toMatch(new RegExp(`^  ${verb} `, 'm'))
    expect(short.split('\n').length).toBeLessThanOrEqual(60)
    expect(short).toContain('perpscope help --all')
    for (const word of ['SYNOPSIS', 'EXIT STATUS', 'PERPSCOPE_API_KEY', 'PERPSCOPE_DATA_DIR', 'NO_COLOR'])
      expect(help).toContain(word)
  })

  it.each(commands.map((command) => [command.verb, command] as const))('of %s tells everything', (_verb, command) => {
    const help = commandHelp(command)
    for (const { args = [], options = {} } of command.actions) {
      for (const { name } of args) expect(help).toContain(name)
      for (const [name, { description }] of Object.entries(options)) {
        expect(help).toContain(`--${name}`)
        expect(help.replace(/\s+/g, ' ')).toContain(description)
      }
    }
    for (const line of help.split('EXAMPLES')[0].split('\n')) expect(line.length).toBeLessThanOrEqual(84)
  })

  it('says of every command whose results a script may want what --json prints, and gives an example', () => {
    for (const { verb, description = [], examples = [] } of commands) {
      if (verb !== 'completion' && verb !== 'set') expect(description.join(' ').toLowerCase(), verb).toContain('json')
      expect(examples.length, verb).toBeGreaterThan(0)
      for (const example of examples) expect(example, verb).toContain(`perpscope`)
    }
  })

  it('is short first: at most 60 lines for a command and for each action, with every option', () => {
    for (const command of commands) {
      const whole = command.actions.length === 1 && command.actions[0].name === '' ? command.actions : []
      for (const action of [null, ...command.actions]) {
        const help = shortHelp(command, action)
        const name = `${command.verb} ${action?.name ?? ''}`
        expect(help.split('\n').length, name).toBeLessThanOrEqual(60)
        const shown = action ?? whole.at(0)
        for (const option of Object.keys(shown?.options ?? {})) expect(help, name).toContain(`--${option}`)
        if (!shown) for (const { name: each } of command.actions) expect(help, name).toContain(each)
        expect(help, name).toContain('--help --all')
      }
    }
  })

  it('marks what may be left out', () => {
    const add = commands.find(({ verb }) => verb === 'connection')?.actions.find(({ name }) => name === 'add')
    expect(add && synopsis('connection', add)).toBe(
      'perpscope connection add NAME [--metrics-url URL] [--portfolio-url URL] [--catalog URL-OR-FILE] [--tier N] [--private-storage yes|no] [--store DIR|s3://BUCKET/PREFIX] [--store-endpoint URL] [--plain-http] [--preview] [--venue ID[,short=S][,sizes=base|contracts][,times=measured|modelled]]',
    )
  })
})
