import { action, exit, type Command } from '../command.ts'
import { countWords, parseSize, formatBytes } from '../sizes.ts'

export const command: Command = {
  verb: 'prune',
  summary: 'make room: remove the least recently used files',
  description: [
    'Removes files of all connections, the least recently used first, until the cache is no larger than --max-size. Pinned files and files that the queue waits for stay.',
    'With --json, {"removed": {"files", "bytes"}, "kept": {"files", "bytes"}}; with --dry-run {"files", "bytes"} that would go.',
  ],
  examples: ['perpscope prune --max-size 20GB', 'perpscope prune --max-size 500MB --dry-run'],
  actions: [
    action({
      name: '',
      summary: 'make room',
      interrupted: 'files removed so far are gone; the same command goes on.',
      options: {
        'max-size': {
          type: 'text',
          value: 'SIZE',
          required: true,
          description: 'How large the cache may be, as 500MB, 20GB or 1.5TiB.',
        },
        'dry-run': { type: 'flag', description: 'Say what would go; remove nothing.' },
      },
      async run({ client, options, out, signal }) {
        const maxBytes = parseSize('max-size', options['max-size'] ?? '')
        const core = await client()
        const asked = { signal, onProgress: out.progress }
        if (options['dry-run']) {
          const { files, sizeBytes } = await core.call('cache.prunePreview', { maxBytes }, asked)
          out.result({ files, bytes: sizeBytes }, () => [
            `${countWords(files, 'file')} would go, ${formatBytes(sizeBytes)}.`,
          ])
          return exit.done
        }
        const { files, sizeBytes, left } = await core.call('cache.prune', { maxBytes }, asked)
        const kept = { files: left.files, bytes: left.sizeBytes }
        out.result({ removed: { files, bytes: sizeBytes }, kept }, () => [
          `${countWords(files, 'file')} removed, ${formatBytes(sizeBytes)}. Left: ${countWords(kept.files, 'file')}, ${formatBytes(kept.bytes)}.`,
        ])
        if (kept.bytes > maxBytes) out.note('What stays is pinned or waited for by the queue.')
        return exit.done
      },
    }),
  ],
}
