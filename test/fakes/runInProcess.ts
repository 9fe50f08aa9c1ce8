import { run } from '../../electron/cli/run.ts'

/** Runs the command line in this process, on a data folder of its own. */
export async function runInProcess(dataDir: string, ...args: string[]) {
  const written = { stdout: '', stderr: '' }
  const sink = (name: keyof typeof written) => ({ write: (text: string) => void (written[name] += text) })
  const status = await run([...args, '--data-dir', dataDir], {
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: {},
    signal: new AbortController().signal,
  })
  return { status, ...written }
}
