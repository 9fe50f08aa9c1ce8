import { downloadSetFields } from '#shared/contract/areas/downloads.ts'
import { calls } from '#shared/contract/calls.ts'
import { commandIds } from '#shared/contract/commandIds.ts'
import { errorCodes } from '#shared/contract/errors.ts'
import { events } from '#shared/contract/events.ts'
import { defaultSettings } from '#shared/contract/defaultSettings.ts'
import { workspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import * as z from '#shared/schemas/lazySchemas.ts'
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
    'workspace document fields': sortedSet(fieldsOfDocument(workspaceDocument)),
    'download set fields': sortedSet(fieldsOfDocument(downloadSetFields)),
  }
}

/** Lists the fields of a document, by the schema that checks it. */
const fieldsOfDocument = (schema: z.ZodType): string[] =>
  fieldsOfSchema(z.object({ document: schema }))
    .filter((each) => each.startsWith('.document.'))
    .map((each) => each.slice('.document.'.length))
