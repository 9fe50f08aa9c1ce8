import { action, exit, type Command } from '../command.ts'

export const command: Command = {
  verb: 'where',
  summary: 'print the folder that holds the cache, the index and the settings',
  description: [
    'Prints the path alone, so that scripts can use it. The folder need not exist yet. With --json, {"dataDir"}.',
  ],
  examples: ['du -sh "$(perpscope where)"'],
  actions: [
    action({
      name: '',
      summary: 'print the folder',
      async run({ dataDir, out }) {
        out.result({ dataDir }, () => [dataDir])
        return exit.done
      },
    }),
  ],
}
