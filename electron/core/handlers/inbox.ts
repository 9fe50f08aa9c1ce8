import type { CheckedSeries, CheckRule } from '#shared/contract/areas/inbox.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { CheckService } from '#core/record/checkService.ts'
import { namedColumns } from '#core/series/formulaInputs.ts'
import type { CheckStore } from '#core/store/checkStore.ts'

export interface InboxDeps {
  checks: CheckStore
  service(): Promise<CheckService>
  bus: EventBus
}

export function inboxHandlers({ checks, service, bus }: InboxDeps): Handlers<CallsOf<'inbox'>> {
  const emitChanged = () => void bus.emit('inbox.changed', {})
  return {
    'inbox.list': () => ({
      checks: checks.list().map(({ name, rule }) => ({ name, rule, series: seriesOf(rule) })),
      entries: checks.inbox(),
    }),
    'inbox.read': ({ ids }) => {
      for (const id of ids) checks.markRead(id)
      emitChanged()
      return null
    },
    'inbox.snooze': ({ id, untilMs }) => {
      const entry = checks.snooze(id, untilMs)
      emitChanged()
      return entry
    },
    'inbox.run': async (_input, { signal }) => {
      const ranChecks = await (await service()).run(null, signal)
      emitChanged()
      return ranChecks
    },
    'inbox.saveCheck': async ({ name, rule: typedRule, connectionId, replaces }) => {
      const allChecks = checks.list()
      if (name !== replaces && allChecks.some((each) => each.name === name))
        throw new AppError('conflict', `A check named “${name}” already exists. Choose another name.`)
      const replaced = allChecks.find((each) => each.name === replaces)
      const ownConnectionId = replaced?.connectionId ?? connectionId
      const read = (await service()).readRule(typedRule, ownConnectionId)
      if ('problem' in read) throw new AppError('bad-input', read.problem)
      if (replaced && replaced.name !== name) checks.remove(replaced.name)
      checks.save({ name, rule: read.rule, connectionId: ownConnectionId })
      emitChanged()
      return null
    },
    'inbox.removeCheck': ({ name }) => {
      checks.remove(name)
      emitChanged()
      return null
    },
  }
}

function seriesOf(rule: CheckRule): CheckedSeries[] {
  if (rule.kind === 'sql') return []
  const { formula, exchange, symbol, interval, timestamp } = rule
  return namedColumns(formula).map((name) => {
    const [dataset, column] = name.split('.')
    return { dataset, column, exchange, symbol, interval, timestamp }
  })
}
