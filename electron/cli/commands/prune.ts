import { noteText, resultText } from '../text/messages.ts'
import { pruneText as text } from '../text/commands.ts'
import { soleAction, exit, type CliCommand } from '../command.ts'
import { confirmRemoval, yesOption } from '../confirm.ts'
import { parseSize, formatBytes } from '../sizes.ts'

export const command: CliCommand = {
  verb: 'prune',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope prune --max-size 20GB', 'perpscope prune --max-size 500MB --dry-run'],
  actions: [
    soleAction({
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
        yes: yesOption,
      },
      async run({ client, options, out, signal }) {
        const maxBytes = parseSize('max-size', options['max-size'] ?? '')
        const core = await client()
        const planned = await core.call('cache.prunePreview', { maxBytes }, { signal })
        if (options['dry-run']) {
          const { files, sizeBytes } = planned
          out.result({ files, bytes: sizeBytes }, () => [resultText.wouldRemove(files, formatBytes(sizeBytes))])
          return exit.done
        }
        await confirmRemoval(planned.files, formatBytes(planned.sizeBytes), options.yes)
        const { files, sizeBytes, left } = await core.call(
          'cache.prune',
          { maxBytes },
          { signal, onProgress: out.progress },
        )
        const remaining = { files: left.files, bytes: left.sizeBytes }
        out.result({ removed: { files, bytes: sizeBytes }, kept: remaining }, () => [
          resultText.pruned(files, formatBytes(sizeBytes), remaining.files, formatBytes(remaining.bytes)),
        ])
        if (remaining.bytes > maxBytes) out.note(noteText.keptFiles)
        return exit.done
      },
    }),
  ],
}
