import { moveFiles } from '#core/store/moveFiles.ts'

/** Moves, and says how far it is: for a test that kills it half-way. With `--die-whole` it dies between copy and switch. */
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
