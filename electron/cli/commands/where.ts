import { whereText as text } from '../text/commands.ts'
import { soleAction, exit, type CliCommand } from '../command.ts'

export const command: CliCommand = {
  verb: 'where',
  summary: text.summary,
  description: text.description,
  examples: ['du -sh "$(perpscope where)"'],
  actions: [
    soleAction({
      summary: text.run.summary,
      async run({ dataDir, out }) {
        out.result({ dataDir }, () => [dataDir])
        return exit.done
      },
    }),
  ],
}
