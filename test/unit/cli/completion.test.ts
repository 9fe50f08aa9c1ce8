import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { completionScripts } from '../../../electron/cli/completion/scripts.ts'
import { allCommands } from '../../../electron/cli/registry.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const commands = await allCommands()
const has = (shell: string) => spawnSync(shell, ['--version']).status === 0

/** Returns the completions that bash offers for the last of these words. */
function completeInBash(...typed: string[]): string[] {
  const script = `${completionScripts.bash(commands)}
COMP_WORDS=(perpscope ${typed.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${typed.length}
_perpscope
printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' }).trim().split('\n').filter(Boolean)
}

describe('bash completion', () => {
  it.for<[string[], unknown]>([
    [['se'], ['serve', 'set', 'self-check']],
    [['connection', ''], expect.arrayContaining(['list', 'add', 'use', 'remove', 'test'])],
    [
      ['connection', 'a'],
      ['add', 'add-engine'],
    ],
    [['connection', 'add', 'desk', '--met'], ['--metrics-url']],
    [['key', 'set', 'desk', '--service', 'p'], ['portfolio']],
    [['--data-dir', 'x', 'wh'], ['where']],
    [['completion', 'z'], ['zsh']],
    [['completion', 'bash', '--js'], ['--json']],
    [['serve', '--port', ''], []],
    [['nonsense', ''], []],
  ])('after %j', ([typed, offered], test) => {
    test.skip(!has('bash'), 'bash is not installed')
    expect(completeInBash(...typed)).toEqual(offered)
  })

  it('offers files where a path belongs', (test) => {
    test.skip(!has('bash'), 'bash is not installed')
    expect(completeInBash('--data-dir', './packa')).toContain('./package.json')
  })
})

/** Writes a script to a file, because it is longer than an argument may be. */
function inFile(script: string): string {
  const path = join(temporaryFolder(), 'completion')
  writeFileSync(path, script)
  return path
}

describe.each(['zsh', 'fish'] as const)('%s completion', (shell) => {
  const script = completionScripts[shell](commands)

  it('names every command, action and option', () => {
    for (const { verb, actions } of commands) {
      expect(script).toContain(verb)
      for (const { name, options = {} } of actions) {
        expect(script).toContain(name)
        for (const option of Object.keys(options)) expect(script).toContain(option)
      }
    }
  })

  it('is a script that the shell accepts', (test) => {
    test.skip(!has(shell), `${shell} is not installed`)
    const load = shell === 'zsh' ? ['-f', '-n'] : ['--no-config']
    expect(spawnSync(shell, [...load, inFile(script)], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  })
})

describe('fish completion', () => {
  it('offers actions with their words', (test) => {
    test.skip(!has('fish'), 'fish is not installed')
    const fish = inFile(completionScripts.fish(commands))
    const ask = (line: string) =>
      execFileSync('fish', ['--no-config', '-c', `source ${fish}; complete -C '${line}'`], { encoding: 'utf8' })
    const { actions } = commands.find(({ verb }) => verb === 'connection')!
    const offered = actions
      .filter(({ name }) => name.startsWith('a'))
      .map(({ name, summary }) => `${name}\t${summary}\n`)
    expect(offered.length).toBeGreaterThan(1)
    expect(ask('perpscope connection a')).toBe(offered.sort().join(''))
    const services = ask('perpscope key set desk --service ').trimEnd().split('\n')
    expect(services.map((line) => line.split('\t')[0])).toEqual(['engine', 'metrics', 'portfolio', 'store'])
  })
})
