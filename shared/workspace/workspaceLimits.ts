/**
 * Limits, format version and file suffix of workspaces. The schema is in another module, which a window does not load
 * at its start.
 */

/** Maximum number of panes, more than any screen can show; a larger document is rejected. */
export const MOST_PANES = 24
export const MOST_SERIES = 60
/** Maximum number of pane columns. */
export const MOST_COLUMNS = 4
/** Maximum length of the link that a quick look remembers, which is that of `MOST_SERIES` series with long names. */
export const MOST_LINK_CHARACTERS = 100_000
/** Maximum length of a link to pass on; the systems' command lines, which open it, hold little more. */
export const MOST_PASSED_LINK_CHARACTERS = 30_000
export const MOST_DRAWINGS = 500
/** Maximum number of scans in a workspace. */
export const MOST_SCANS = 40

export const DOCUMENT_VERSION = 1

export const WORKSPACE_SUFFIX = '.perpscope'
export const MOST_FILE_BYTES = 4_000_000
