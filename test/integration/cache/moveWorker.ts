import { moveFiles } from '#core/store/moveFiles.ts'

/**
 * Moves files and prints its progress, for a test that kills this process midway. With `--die-whole` the process kills
 * itself between copy and switch.
 */
const [dataDir, target, dieWhole] = process.argv.slice(2)
await moveFiles({
  dataDir,
  target,
  signal: new AbortController().signal,
  onProgress: ({ done, message }) => {
    process.stdout.write(`${done}\n`)
    if (dieWhole && message.includes('switching')) process.kill(process.pid, 'SIGKILL')
  },
})
