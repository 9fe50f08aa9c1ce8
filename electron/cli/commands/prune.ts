import { pruneText as text } from '../text/commands.ts'
import { action, exit, type Command } from '../command.ts'
import { countWords, parseSize, formatBytes } from '../sizes.ts'

export const command: Command = {
  verb: 'prune',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope prune --max-size 20GB', 'perpscope prune --max-size 500MB --dry-run'],
  actions: [
    action({
      name: '',
      summary: text.run.summary,
      interrupted: text.run.interrupted,
      options: {
        'max-size': {
          type: 'text',
          value: 'SIZE',
          required: true,
          description: text.run.options['max-size'],
        },
        'dry-run': { type: 'flag', description: text.run.options['dry-run'] },
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
