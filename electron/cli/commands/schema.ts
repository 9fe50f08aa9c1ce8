import { type CliCommand, exit, soleAction } from '../command.ts'
import { describedCommands, resultSchema } from '../resultSchema.ts'
import { nearest } from '../suggest.ts'
import { schemaText as text } from '../text/recordCommands.ts'
import { UsageError } from '../usageError.ts'

export const command: CliCommand = {
  verb: 'schema',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope schema', 'perpscope schema study list', 'perpscope schema fetch > fetch.schema.json'],
  actions: [
    soleAction({
      summary: text.summary,
      args: [{ name: 'COMMAND', description: text.args.COMMAND, optional: true, many: true }],
      run({ args, out }) {
        const name = args.join(' ')
        if (name === '') out.result(describedCommands, () => describedCommands)
        else {
          const schema = resultSchema(name)
          if (!schema) throw new UsageError(text.unknown(name, nearest(name, describedCommands)))
          out.result(schema, () => [JSON.stringify(schema, null, 2)])
        }
        return Promise.resolve(exit.done)
      },
    }),
  ],
}
