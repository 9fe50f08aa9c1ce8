import type { CheckedSeries, CheckRule } from '#shared/contract/areas/inbox.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import { readAlarmFile } from '#core/record/alarmFile.ts'
import type { Alarms } from '#core/record/alarms.ts'
import type { CheckService } from '#core/record/checkService.ts'
import { isWide } from '#core/record/watchedPairs.ts'
import { columnsInFormula, datasetAndColumn } from '#core/series/formulaInputs.ts'
import type { CheckStore } from '#core/store/checkStore.ts'

export interface InboxDeps {
  dataDir: string
  checks: CheckStore
  service(): Promise<CheckService>
  alarms(): Promise<Pick<Alarms, 'set' | 'rename'>>
  bus: EventBus
}

export function inboxHandlers({ dataDir, checks, service, alarms, bus }: InboxDeps): Handlers<CallsOf<'inbox'>> {
  const emitChanged = () => void bus.emit('inbox.changed', {})
  return {
    'inbox.list': () => ({
      checks: checks
        .list()
        .map(({ name, rule }) => ({ name, rule, series: seriesOf(rule), lastRun: checks.lastRun({ name, rule }) })),
      entries: checks.inbox(),
      alarmProblem: readAlarmFile(dataDir).problem,
    }),
    'inbox.read': ({ ids }) => {
      const entries = ids.map((id) => checks.markRead(id))
      emitChanged()
      return entries
    },
    'inbox.snooze': ({ id, untilMs }) => {
      const entry = checks.snooze(id, untilMs)
      emitChanged()
      return entry
    },
    'inbox.run': async ({ name }, { signal }) => {
      const ranChecks = await (await service()).run(name, signal)
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
      if (replaced && replaced.name !== name) {
        checks.remove(replaced.name)
        ;(await alarms()).rename(replaced.name, name)
      }
      checks.save({ name, rule: read.rule, connectionId: ownConnectionId })
      bus.emit('documents.changed', { kind: 'check' })
      return null
    },
    'inbox.history': async ({ rule, connectionId }, { signal }) =>
      (await service()).history(rule, connectionId, signal),
    'inbox.removeCheck': async ({ name }) => {
      checks.remove(name)
      ;(await alarms()).set(name, null)
      bus.emit('documents.changed', { kind: 'check' })
      return null
    },
  }
}

function seriesOf(rule: CheckRule): CheckedSeries[] {
  // A rule for several symbols has no series of its own.
  if (rule.kind === 'sql' || isWide(rule)) return []
  const { formula, exchange, symbol, interval, timestamp } = rule
  return columnsInFormula(formula).map((name) => {
    const { dataset, column } = datasetAndColumn(name)
    return { dataset, column, exchange, symbol, interval, timestamp }
  })
}
