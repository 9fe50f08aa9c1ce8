import { failureText, resultText, usageText } from '../text/messages.ts'
import { keyText as text } from '../text/commands.ts'
import type { KeyStatus, ServiceName } from '#shared/contract/areas/connections.ts'
import type { Client } from '#shared/contract/client.ts'
import { AppError } from '#shared/contract/errors.ts'
import { action, exit, type Command, type ExitStatus } from '../command.ts'
import type { Output } from '../print.ts'
import { findConnection } from '../connections.ts'
import { Failure } from '../failure.ts'
import { readSecretLine } from '../readSecret.ts'
import { UsageError } from '../usageError.ts'
import { keyStatusText } from './connection.ts'

const args = [{ name: 'NAME', description: text.args.NAME }] as const
const options = {
  service: {
    type: 'text',
    value: 'SERVICE',
    values: ['metrics', 'portfolio'],
    description: text.options.service,
  },
} as const

async function targetOf(client: Client, name: string, service: ServiceName = 'metrics') {
  const connection = await findConnection(client, name)
  return { connection, service, connectionId: connection.id }
}

function printStatus(out: Output, connection: string, service: ServiceName, status: KeyStatus): ExitStatus {
  out.result({ connection, service, ...status }, () => [
    resultText.keyStatus(connection, service, keyStatusText(status)),
  ])
  return exit.done
}

const set = action({
  name: 'set',
  summary: text.set.summary,
  args,
  options,
  async run({ client, args: [name], options: { service: wanted }, out, signal }) {
    const core = await client()
    const { connectionId, service } = await targetOf(core, name, wanted)
    const vault = await core.call('vault.status', { probeAgain: true })
    if (!vault.available) throw new Failure(failureText.keyNotStored(vault.message))
    const key = (await readSecretLine(resultText.keyPrompt(name, service), signal))?.trim()
    if (signal.aborted) return exit.interrupted
    if (!key) throw new UsageError(usageText.noKeyOnStdin)
    const status = await core.call('keys.set', { connectionId, service, key }).catch((thrown: unknown) => {
      // The detail of a refused input may quote the input, and a key must never be quoted.
      if (thrown instanceof AppError && thrown.code === 'bad-input') throw new UsageError(usageText.notKey)
      throw thrown
    })
    if (status.kept !== 'keychain' && status.kept !== 'encrypted-file')
      throw new Failure(failureText.keyNotStored(null))
    return printStatus(out, name, service, status)
  },
})

type Target = Awaited<ReturnType<typeof targetOf>>

/** An action that ends with the state of a connection's key. */
const statusAction = (
  name: 'remove' | 'status',
  keyStatusOf: (core: Client, target: Target) => Promise<KeyStatus> | KeyStatus,
) =>
  action({
    name,
    summary: text[name].summary,
    args,
    options,
    async run({ client, args: [connection], options: { service: wanted }, out }) {
      const core = await client()
      const target = await targetOf(core, connection, wanted)
      return printStatus(out, connection, target.service, await keyStatusOf(core, target))
    },
  })

const remove = statusAction('remove', (core, { connectionId, service }) =>
  core.call('keys.remove', { connectionId, service }),
)
const status = statusAction('status', (_core, { connection, service }) => connection.keys[service])

export const command: Command = {
  verb: 'key',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope key set desk < key.txt', 'perpscope key status desk --service portfolio'],
  actions: [set, remove, status],
}
