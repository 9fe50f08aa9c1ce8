import { spawn } from 'node:child_process'
import { openSync, writeFileSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const windows = new URL('../fakes/electronOnWindows.mjs', import.meta.url).href
const program = (path: string) => new URL(`../../electron/${path}`, import.meta.url).href

const readers = {
  'a key': `const { readSecretLine } = await import('${program('cli/readSecret.ts')}')
    console.log(await readSecretLine('Key: ', new AbortController().signal))`,
  'the messages of an assistant': `const { openStdin } = await import('${program('cli/stdin.ts')}')
    const { boundedLines } = await import('${program('mcp/lines.ts')}')
    for await (const line of boundedLines(openStdin())) console.log(line)`,
  'a query': `const { openStdin } = await import('${program('cli/stdin.ts')}')
    const { text } = await import('node:stream/consumers')
    console.log(await text(openStdin()))`,
}

const read = async (code: string, stdin: number | 'pipe') => {
  const child = spawn(process.execPath, ['--import', windows, '--input-type=module', '--eval', code], {
    stdio: [stdin, 'pipe', 'inherit'],
  })
  child.stdin?.end('first line\n')
  return (await text(child.stdout!)).trim()
}

/** On Windows, Electron ends `process.stdin` before a program can read it; the fake does the same. */
it.each(Object.entries(readers))(
  'the installed program of Windows reads %s from a pipe and from a file',
  async (_what, code) => {
    const path = join(temporaryFolder(), 'input')
    writeFileSync(path, 'first line\n')
    expect(await Promise.all([read(code, 'pipe'), read(code, openSync(path, 'r'))])).toEqual([
      'first line',
      'first line',
    ])
  },
)

it('reads nothing where there is no console and no input, as in a scheduled task', async (context) => {
  if (process.platform === 'win32') context.skip('the console of this run would wait for somebody to type')
  expect(await read(readers['a key'], openSync(devNull, 'r'))).toBe('null')
})
