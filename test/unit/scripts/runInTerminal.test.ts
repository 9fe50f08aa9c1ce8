import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const processes = join(import.meta.dirname, '..', '..', '..', 'scripts', 'processes.mjs')

/** Counts the interrupts that it receives until it is terminated. */
const counter = `
  let count = 0
  process.on('SIGINT', () => console.log('signal ' + ++count))
  process.on('SIGTERM', () => { console.log('total ' + count); process.exit(0) })
  setInterval(() => {}, 1000)
  console.log('ready')`

test.skipIf(process.platform === 'win32')(
  'a Ctrl-C reaches the program once, though terminal and npm both send it',
  async () => {
    const script = `
    import { runInTerminal } from ${JSON.stringify(processes)}
    const { interrupted } = await runInTerminal(process.execPath, ['-e', ${JSON.stringify(counter)}])
    console.log('interrupted ' + interrupted)`
    // The wrapper leads a process group, as a program in a terminal does.
    const wrapper = spawn(process.execPath, ['--input-type=module', '-e', script], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    const printed = async (text: string) => {
      while (!output.includes(text)) output += String((await once(wrapper.stdout, 'data'))[0])
    }
    wrapper.stdout.setEncoding('utf8')
    await printed('ready')
    process.kill(-wrapper.pid!, 'SIGINT')
    await printed('signal 1')
    process.kill(wrapper.pid!, 'SIGINT')
    process.kill(wrapper.pid!, 'SIGTERM')
    await printed('interrupted')
    expect(output).toBe('ready\nsignal 1\ntotal 1\ninterrupted true\n')
  },
)
