import type { CliCommand } from './command.ts'

/**
 * The commands. To add one:
 *   1. write `commands/<verb>.ts` that exports `command: Command`; each action's arguments and options are data
 *      (see command.ts), from which parsing, `--help` and shell completion are made, and `run` gets them typed;
 *   2. in `run`, open the core with `await invocation.client()` and call it; print results with `out.result` or
 *      `out.record` (stdout), everything else with `out.note` or `out.progress` (stderr); pass `signal` on; return an
 *      `exit` status; throw a Failure (status 1) or UsageError (status 2) with one sentence, let AppErrors pass;
 *      An option may say `symbols` (short names are resolved), `fromConnection` (the connection may have a default) or
 *      `reads` (`-` is standard input); an action says with `missing` what else its options need, and with `readsOnly`
 *      that it works in a data folder that can only be read;
 *   3. add a line here. A command's file is imported only for the command itself, the program's help and completion, so
 *      it may import what is slow to load.
 */
export const registry: Readonly<Record<string, () => Promise<{ command: CliCommand }>>> = {
  serve: () => import('./commands/serve.ts'),
  sandbox: () => import('./commands/sandbox.ts'),
  connection: () => import('./commands/connection.ts'),
  key: () => import('./commands/key.ts'),
  catalog: () => import('./commands/catalog.ts'),
  symbols: () => import('./commands/symbols.ts'),
  coverage: () => import('./commands/coverage.ts'),
  fetch: () => import('./commands/fetch.ts'),
  set: () => import('./commands/set.ts'),
  queue: () => import('./commands/queue.ts'),
  ls: () => import('./commands/ls.ts'),
  quality: () => import('./commands/quality.ts'),
  watch: () => import('./commands/watch.ts'),
  verify: () => import('./commands/verify.ts'),
  prune: () => import('./commands/prune.ts'),
  cache: () => import('./commands/cache.ts'),
  read: () => import('./commands/read.ts'),
  export: () => import('./commands/export.ts'),
  portfolio: () => import('./commands/portfolio.ts'),
  plan: () => import('./commands/plan.ts'),
  import: () => import('./commands/import.ts'),
  instruments: () => import('./commands/instruments.ts'),
  funding: () => import('./commands/funding.ts'),
  lists: () => import('./commands/lists.ts'),
  data: () => import('./commands/data.ts'),
  documents: () => import('./commands/documents.ts'),
  compute: () => import('./commands/compute.ts'),
  reconcile: () => import('./commands/reconcile.ts'),
  sql: () => import('./commands/sql.ts'),
  tables: () => import('./commands/tables.ts'),
  describe: () => import('./commands/describe.ts'),
  study: () => import('./commands/study.ts'),
  ledger: () => import('./commands/ledger.ts'),
  board: () => import('./commands/board.ts'),
  report: () => import('./commands/report.ts'),
  replay: () => import('./commands/replay.ts'),
  check: () => import('./commands/check.ts'),
  inbox: () => import('./commands/inbox.ts'),
  schedule: () => import('./commands/schedule.ts'),
  mcp: () => import('./commands/mcp.ts'),
  python: () => import('./commands/python.ts'),
  schema: () => import('./commands/schema.ts'),
  backup: () => import('./commands/backup.ts'),
  restore: () => import('./commands/restore.ts'),
  where: () => import('./commands/where.ts'),
  'self-check': () => import('./commands/selfCheck.ts'),
  completion: () => import('./commands/completion.ts'),
}

export async function allCommands(): Promise<CliCommand[]> {
  const modules = await Promise.all(Object.values(registry).map((load) => load()))
  return modules.map(({ command }) => command)
}
