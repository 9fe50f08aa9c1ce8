import { whereText as text } from '../text/commands.ts'
import { soleAction, exit, type Command } from '../command.ts'

export const command: Command = {
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
