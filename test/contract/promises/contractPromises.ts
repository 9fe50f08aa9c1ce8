import { calls } from '#shared/contract/calls.ts'
import { commandIds } from '#shared/contract/commandIds.ts'
import { errorCodes } from '#shared/contract/errors.ts'
import { events } from '#shared/contract/events.ts'
import { defaultSettings } from '#shared/contract/areas/settings.ts'
import { fieldsOfSchema } from './fields.ts'
import { sortedSet, type Promises } from './promises.ts'

const fieldsOf = (name: string, schema: Parameters<typeof fieldsOfSchema>[0]) =>
  fieldsOfSchema(schema).map((field) => `${name} ${field}`)

/** Calls, events, their fields, settings and codes, from the schemas that check them. */
export function contractPromises(): Promises {
  return {
    'contract calls': sortedSet(Object.keys(calls)),
    'contract call fields': sortedSet(Object.entries(calls).flatMap(([name, { input }]) => fieldsOf(name, input))),
    'contract events': sortedSet(Object.keys(events)),
    'contract event fields': sortedSet(Object.entries(events).flatMap(([name, schema]) => fieldsOf(name, schema))),
    'error codes': sortedSet(errorCodes),
    'window command ids': sortedSet(commandIds),
    settings: sortedSet(
      Object.entries(defaultSettings).map(([name, value]) => `${name} defaults to ${JSON.stringify(value)}`),
    ),
    'workspace document fields': sortedSet(documentFields('workspaces.create', 'document')),
    'download set fields': sortedSet(documentFields('downloads.saveSet', 'set')),
  }
}

/** The part of a call's input that is kept as a document. */
function documentFields(name: 'workspaces.create' | 'downloads.saveSet', field: string): string[] {
  return fieldsOfSchema(calls[name].input)
    .filter((each) => each.startsWith(`.${field}.`))
    .map((each) => each.slice(field.length + 2))
}
