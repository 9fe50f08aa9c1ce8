import { failureText, resultText, usageText } from '../text/messages.ts'
import { keyText as text } from '../text/commands.ts'
import type { ServiceName } from '#shared/contract/areas/connections.ts'
import type { Client } from '#shared/contract/client.ts'
import { AppError } from '#shared/contract/errors.ts'
import { action, exit, type Command } from '../command.ts'
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
    out.result({ connection: name, service, ...status }, () => [
      resultText.keyStatus(name, service, keyStatusText(status)),
    ])
    return exit.done
  },
})

const remove = action({
  name: 'remove',
  summary: text.remove.summary,
  args,
  options,
  async run({ client, args: [name], options: { service: wanted }, out }) {
    const core = await client()
    const { connectionId, service } = await targetOf(core, name, wanted)
    const status = await core.call('keys.remove', { connectionId, service })
    out.result({ connection: name, service, ...status }, () => [
      resultText.keyStatus(name, service, keyStatusText(status)),
    ])
    return exit.done
  },
})

const status = action({
  name: 'status',
  summary: text.status.summary,
  args,
  options,
  async run({ client, args: [name], options: { service: wanted }, out }) {
    const { connection, service } = await targetOf(await client(), name, wanted)
    const found = connection.keys[service]
    out.result({ connection: name, service, ...found }, () => [
      resultText.keyStatus(name, service, keyStatusText(found)),
    ])
    return exit.done
  },
})

export const command: Command = {
  verb: 'key',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope key set desk < key.txt', 'perpscope key status desk --service portfolio'],
  actions: [set, remove, status],
}
