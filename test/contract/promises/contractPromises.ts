import { calls } from '#shared/contract/calls.ts'
import { commandIds } from '#shared/contract/commandIds.ts'
import { errorCodes } from '#shared/contract/errors.ts'
import { events } from '#shared/contract/events.ts'
import { defaultSettings } from '#shared/contract/defaultSettings.ts'
import { fieldsOfSchema } from './fields.ts'
import { sortedSet, type Promises } from './promises.ts'

/**
 * Lists calls, events, settings and codes, from the schemas that check them. Fields of calls and events are no
 * promises, because both sides of the contract always have the same version.
 */
export function contractPromises(): Promises {
  return {
    'contract calls': sortedSet(Object.keys(calls)),
    'contract events': sortedSet(Object.keys(events)),
    'error codes': sortedSet(errorCodes),
    'window command ids': sortedSet(commandIds),
    settings: sortedSet(
      Object.entries(defaultSettings).map(([name, value]) => `${name} defaults to ${JSON.stringify(value)}`),
    ),
    'workspace document fields': sortedSet(documentFields('workspaces.create', 'document')),
    'download set fields': sortedSet(documentFields('downloads.saveSet', 'set')),
  }
}

/** Lists the fields of the part of a call's input that is stored as a document. */
function documentFields(name: 'workspaces.create' | 'downloads.saveSet', field: string): string[] {
  return fieldsOfSchema(calls[name].input)
    .filter((each) => each.startsWith(`.${field}.`))
    .map((each) => each.slice(field.length + 2))
}
