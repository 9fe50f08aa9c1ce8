import { moveFiles } from '#core/store/moveFiles.ts'

/** Moves, and says how far it is: for a test that kills it half-way. */
const [dataDir, target] = process.argv.slice(2)
await moveFiles({
  dataDir,
  target,
  signal: new AbortController().signal,
  onProgress: ({ done }) => process.stdout.write(`${done}\n`),
})
