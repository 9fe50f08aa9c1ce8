import * as z from '../../schemas/lazySchemas.ts'
import { checkRule } from '../areas/inbox.ts'
import { connectionId } from '../areas/discovery.ts'
import { defineKind } from './documentKind.ts'

const checkDocument = z.strictObject({ connectionId, rule: checkRule })
type CheckDocument = z.output<typeof checkDocument>

/** Rules that are evaluated after a refresh. The documents folder has none, because each belongs to a connection. */
export const checkKind = defineKind({
  noun: 'check',
  inBackups: 'checks',
  schema: checkDocument,
  // A rule that can no longer be evaluated is listed and run too, so that the inbox says why.
  open: (value) => ({ document: value as CheckDocument }),
  idOf: (name) => name,
  facts: (document: CheckDocument) => ({ connectionId: document.connectionId }),
  state: {},
  file: null,
})
