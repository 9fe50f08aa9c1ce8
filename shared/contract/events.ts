import * as z from '../schemas/lazySchemas.ts'
import { MOST_PASSED_LINK_CHARACTERS } from '../workspace/workspaceLimits.ts'
import { paneShape } from './areas/app.ts'
import { connectionShape } from './areas/connections.ts'
import { downloadProgress } from './areas/downloads.ts'
import { localApiStatusShape, networkStateShape } from './areas/network.ts'
import { receivedFileShape } from './areas/files.ts'
import { settingsShape } from './areas/settings.ts'
import { vaultStatusShape } from './areas/vault.ts'
import { documentKindNames } from './documents/kindNames.ts'
import type { EventName } from './names.ts'

/** All events, in the past tense: name → schema. Hosts send only what the schema allows. */
export const events = {
  /** A helper process crashed and was restarted; the message is for the user. */
  'app.recovered': z.strictObject({ message: z.string() }),
  /** The user closed the window of a pane. */
  'app.paneClosed': paneShape,
  /** Files were added, removed or pinned. */
  'cache.changed': z.strictObject({}),
  'connections.changed': z.array(connectionShape),
  /** Data about the services of a connection was refreshed. */
  'discovery.changed': z.strictObject({ connectionId: z.string() }),
  /** Documents of a kind were created, saved, run, queued, renamed or removed. */
  'documents.changed': z.strictObject({ kind: z.enum(documentKindNames) }),
  /** The documents folder changed, or the state of a document or file in it did. */
  'folder.changed': z.strictObject({}),
  /** Downloads were added, moved or changed state. */
  'downloads.changed': z.strictObject({}),
  /** The queue became empty; counts the files that were downloaded or failed since it was last empty. */
  'downloads.finished': z.strictObject({ done: z.int(), failed: z.int() }),
  /** Downloads of a connection (empty: all) are paused until the user acts, e.g. replaces its key. Sent once per pause. */
  'downloads.held': z.strictObject({ connectionId: z.string(), code: z.string(), message: z.string() }),
  'downloads.progressed': downloadProgress,
  'files.received': z.array(receivedFileShape),
  /** Instruments were imported, so contract sizes may differ. */
  'instruments.changed': z.strictObject({}),
  /** Entries were added to the ledger. */
  'ledger.changed': z.strictObject({}),
  /** A deep link or opened file asks for a screen; the address is the part after `#`. */
  'links.opened': z.strictObject({ address: z.string().max(MOST_PASSED_LINK_CHARACTERS) }),
  /** An entry of the application menu was chosen; `command` is its command id. */
  'menu.chosen': z.strictObject({ command: z.string().max(100) }),
  /** Offline mode was switched, or a server became unreachable or reachable. */
  'network.changed': networkStateShape,
  /** The local API was opened or closed. */
  'network.doorChanged': localApiStatusShape,
  /** An answer of the portfolio service added or changed stored values. */
  'portfolio.changed': z.strictObject({ connectionId: z.string(), endpoint: z.string(), query: z.string() }),
  /** A finding was accepted or opened again, or files were checked. */
  'quality.changed': z.strictObject({}),
  /** New downloads were checked automatically; counts the files, and the open findings in them. */
  'quality.checked': z.strictObject({ files: z.int(), findings: z.int() }),
  /** Requests were sent; counts those since the last event. */
  'requests.recorded': z.strictObject({ count: z.int() }),
  /** A file can be downloaded once from this path (browser only); sent only to the window that requested it. */
  'saves.ready': z.strictObject({ path: z.string(), name: z.string() }),
  'settings.changed': settingsShape,
  /** The history of queries changed. */
  'sql.changed': z.strictObject({}),
  /** Datasets of the user's own files were added, changed or removed. */
  'data.changed': z.strictObject({}),
  /** Files of returns were opened, changed or removed. */
  'returns.changed': z.strictObject({}),
  'vault.changed': vaultStatusShape,
  'inbox.changed': z.strictObject({}),
} satisfies Record<EventName, z.ZodType>

export type EventPayload<Name extends EventName> = z.output<(typeof events)[Name]>
