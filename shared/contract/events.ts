import * as z from '../schemas/lazySchemas.ts'
import { paneShape } from './areas/app.ts'
import { connectionShape } from './areas/connections.ts'
import { downloadProgress } from './areas/downloads.ts'
import { localDoorShape, networkStateShape } from './areas/network.ts'
import { receivedFileShape } from './areas/files.ts'
import { settingsShape } from './areas/settings.ts'
import { vaultStatusShape } from './areas/vault.ts'
import type { EventName } from './names.ts'

/** Every event that exists, in the past tense: name → schema. Hosts send what the schema lets through, nothing else. */
export const events = {
  /** A helper process failed and was started again: what the user should know of it. */
  'app.recovered': z.strictObject({ message: z.string() }),
  /** The user closed the window of a pane. */
  'app.paneClosed': paneShape,
  /** Files came, went or were pinned. */
  'cache.changed': z.strictObject({}),
  'connections.changed': z.array(connectionShape),
  /** Facts known about the services of a connection were refreshed. */
  'discovery.changed': z.strictObject({ connectionId: z.string() }),
  /** The documents folder is another one, or a document or file in it is in another state. */
  'documents.changed': z.strictObject({}),
  /** Downloads were added, moved, or are in another state now. */
  'downloads.changed': z.strictObject({}),
  /** The queue is empty: number of files downloaded and failed since it last was. */
  'downloads.finished': z.strictObject({ done: z.int(), failed: z.int() }),
  /** A connection's downloads (empty: all) are paused until the user acts, e.g. replaces its key. Told once. */
  'downloads.held': z.strictObject({ connectionId: z.string(), code: z.string(), message: z.string() }),
  'downloads.progressed': downloadProgress,
  /** Sets were saved or removed. */
  'downloads.setsChanged': z.strictObject({}),
  'files.received': z.array(receivedFileShape),
  /** Instruments were imported: contract sizes may differ. */
  'instruments.changed': z.strictObject({}),
  'lists.changed': z.strictObject({}),
  /** Studies of the Lab were made, written, run, renamed or removed. */
  'lab.changed': z.strictObject({}),
  /** Entries were added to the ledger of trials. */
  'ledger.changed': z.strictObject({}),
  /** A deep link or an opened file asks for a screen: the part of the address after `#`. */
  'links.opened': z.strictObject({ address: z.string().max(2000) }),
  /** An entry of the application's menu, by the id of its command. */
  'menu.chosen': z.strictObject({ command: z.string().max(100) }),
  /** The switch was turned, or a server is out of reach or back. */
  'network.changed': networkStateShape,
  /** The local API was opened or closed. */
  'network.doorChanged': localDoorShape,
  /** An answer of the portfolio service added or changed stored values. */
  'portfolio.changed': z.strictObject({ connectionId: z.string(), endpoint: z.string(), query: z.string() }),
  /** A finding was accepted or opened again, or files were checked. */
  'quality.changed': z.strictObject({}),
  /** New downloads were checked automatically: number of files, and of open findings in them. */
  'quality.checked': z.strictObject({ files: z.int(), findings: z.int() }),
  /** Requests were made; how many since the last event. */
  'requests.recorded': z.strictObject({ count: z.int() }),
  /** In a browser: a file can be fetched once from this path; sent only to the window that requested it. */
  'saves.ready': z.strictObject({ path: z.string(), name: z.string() }),
  'settings.changed': settingsShape,
  /** Queries were made, written, run, renamed or removed. */
  'sql.changed': z.strictObject({}),
  /** Files of returns were opened, changed or removed. */
  'returns.changed': z.strictObject({}),
  'vault.changed': vaultStatusShape,
  /** Workspaces were made, written, renamed or removed. */
  'workspaces.changed': z.strictObject({}),
  'boards.changed': z.strictObject({}),
  'inbox.changed': z.strictObject({}),
} satisfies Record<EventName, z.ZodType>

export type EventPayload<Name extends EventName> = z.output<(typeof events)[Name]>
