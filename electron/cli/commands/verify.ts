import type { CacheReport } from '#shared/contract/areas/cache.ts'
import { action, exit, type Command } from '../command.ts'
import { findConnection } from '../connections.ts'
import { countWords, formatBytes } from '../sizes.ts'

export const command: Command = {
  verb: 'verify',
  summary: 'check that every cached file is whole, and repair',
  description: [
    'Reads every file of every connection (with --connection, of that one) and compares its size and checksum with the index; finds files that the index does not know. Exit status 0: clean; 3: something is broken and was not repaired.',
    '--repair forgets files that are gone, takes in whole ones that the index does not know, moves damaged ones to the quarantine folder and removes what old transfers left behind. Files of others are named and never touched. What went missing is not downloaded again by itself.',
    'A file that came damaged has the checksum it came with. --deep finds it: it reads every value and holds it against the file’s own checksums and statistics.',
    'With --json one document {"files", "sizeBytes", "broken", "repaired", "harmless", "problems": [{"kind", "path", "words", "remedy"}], "more"}.',
  ],
  examples: ['perpscope verify', 'perpscope verify --repair --json', 'perpscope verify --deep --repair'],
  actions: [
    action({
      name: '',
      summary: 'check the cache',
      interrupted: 'the same command begins anew. Repairs made so far stay.',
      options: {
        repair: { type: 'flag', description: 'Set right what is wrong.' },
        deep: {
          type: 'flag',
          description: 'Read every value too: slower, and finds what came damaged from the service.',
        },
      },
      async run({ client, connection, options, out, signal }) {
        const core = await client()
        const connectionId = connection === undefined ? '' : (await findConnection(core, connection)).id
        const name = options.repair ? 'cache.repair' : 'cache.verify'
        const report = await core.call(name, { connectionId, deep: options.deep }, { signal, onProgress: out.progress })
        const problems = report.problems.map(({ message, ...problem }) => ({ ...problem, words: message }))
        out.result({ ...report, problems }, () => linesOf(report, options.repair))
        return report.broken > report.repaired ? exit.partial : exit.done
      },
    }),
  ],
}

function linesOf({ files, sizeBytes, broken, repaired, harmless, problems, more }: CacheReport, isRepair: boolean) {
  const lines = problems.map(({ kind, path, message, remedy }) => {
    const does = remedy === null ? 'Left as it is.' : `${isRepair ? 'Done' : 'A repair would'}: ${remedy}.`
    return `${kind}: ${path}: ${message} ${does}`
  })
  if (more > 0) lines.push(`and ${more} more`)
  const extra = harmless > 0 ? ` ${harmless} other findings, harmless.` : ''
  const whole = broken === 0 ? 'All are whole.' : `${broken} broken${isRepair ? `, ${repaired} repaired` : ''}.`
  return [...lines, `${countWords(files, 'file')}, ${formatBytes(sizeBytes)}. ${whole}${extra}`]
}
