import type { GuideSection } from '../guideSection.ts'

/** Boards, which are pages of parts that stay up to date. */
export const boardsSection: GuideSection = {
  id: 'boards',
  title: 'Boards',
  screens: ['boards'],
  keywords: 'board dashboard grid parts page morning chart table tear sheet study note resize move report ready-made',
  blocks: [
    'A [board](/boards) is a page of parts in a grid: charts of a workspace, SQL results, tear sheets, studies and tested portfolios with their verdicts, and notes. You can start from a playbook, which is a board for a job (the pages “Job: …” of this guide say how to read each, for example [crowding](/guide/job-crowding)), or from one of three ready-made boards; “Add part” makes a part of anything you have saved.',
    {
      list: [
        'Parts are computed one after the other when the board opens, when files arrive, and when you press Ctrl+Enter (Cmd+Enter). A part that cannot be computed says why; the others are not affected.',
        'A chart shows a range of the same length as in its workspace, ending at the last cached row.',
        'Drag a part by its header to move it, and its lower right corner to resize it. By keyboard, on the handle in its header: arrow keys move it, Shift with arrow keys resizes it, Delete removes it. All of this can be undone.',
        'A part follows the workspace, query or study that it shows: a later change there shows on the board and in its report. “Keep as it is now” in the menu of a part, or the box in “Add part”, leaves it as it is; “Open what it shows” leads to its own screen.',
        '“Save as report” writes the board as one HTML file from which it can be computed again; `perpscope report board NAME --out FILE.html` does it without a window. A part that cannot be computed says why in its place.',
      ],
    },
  ],
}

export const recordSection: GuideSection = {
  id: 'record',
  title: 'Reports that can be computed again',
  screens: ['inbox'],
  keywords:
    'schedule timer systemd cron launchd hourly refresh assistant mcp model context protocol api http rest openapi arrow token door python polars pandas duckdb pip module report replay html print share reproduce source sha256 note markdown record',
  blocks: [
    'A report is one HTML file: charts with the values under the pointer, tables with every digit behind each number, formulas or SQL, warnings, and the files that were read with their SHA-256. It opens without a network, loads nothing, and prints on A4 or Letter.',
    {
      code: 'perpscope report workbench --workspace Basis --out basis.html --note note.md\nperpscope report tearsheet --portfolio momentum_ls.20 --benchmark BTC --out momentum.html\nperpscope report study carry.json --out carry.html\nperpscope report sql --file Q.sql --out result.html\nperpscope report board "Morning look" --out morning.html',
      language: 'Shell',
    },
    'In the window, “Report (HTML)” is in the Export menu of the workbench and of a SQL result, in the menu of a study, above a tear sheet and above a plan. “Copy as notebook” beside it copies a Jupyter notebook that computes the same with the Python module; returns of your own have none, because they are not in the cache. A study’s panel file is found again if it is in the same folder as the report.',
    '`--note` puts your own text first, in Markdown: headings, lists, quotations, code, emphasis and links to web pages. Raw HTML and pictures are shown as text. The same inputs give the same file, byte for byte.',
    { heading: 'Replay' },
    '`perpscope replay FILE.html` computes the report again from the cache and compares everything that the report shows: numbers, texts, charts, values under the pointer, and the markup, so that nothing can be hidden or added. What cannot be computed, such as a note, is named as not verified. It contacts no service unless you let it download missing files. The first line says how many differ. Each difference comes with its reason: a file that changed or was cached later, or a definition from another version.',
    {
      list: [
        'Exit status 0: no difference; 3: differences; 1: it cannot be replayed, because the report is incomplete or a file is missing. `--fetch` downloads such files.',
        'Files that a report or the ledger names, or that are pinned, are kept in their original version when they are replaced, up to 2 GB in total. After the service republished one, or more files were cached that the report would read, replay reports both: “0 differences if computed from the original files; 12 from the current files”.',
        'A report of a study or a tested portfolio is a run like any other: it is in the ledger.',
      ],
    },
    { heading: 'Checks and inbox' },
    'A check is a rule on the cached data: a formula whose last value is present and not 0, or a query that returns a row. `perpscope check run` reports for each check whether it hit, was quiet or could not be evaluated, and why; its exit status is 4 after a hit, and 3 if a check could not be evaluated. The inbox lists every hit once.',
    {
      code: "perpscope check save hot --formula 'funding.funding_rate > 0.0005' --exchange VENUE --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange\nperpscope check run\nperpscope inbox list",
      language: 'Shell',
    },
    'A formula check watches one symbol, or all of a list (`--list NAME`), of a venue (`--symbol "*"`) or of everything cached (`--exchange "*" --symbol "*"`): it hits if it hits at one of them, and names these. Failed schedules stand in the inbox and on Watch with the name of their set or study.',
    'In the window, the [inbox](/inbox) in the top bar shows the checks with their last results and findings. “New check” creates one from a formula or SQL, “Edit …” changes it. Mark an entry as read, snooze it for a day, or go to the chart or query behind it. A check that could not be evaluated says why.',
    { heading: 'Schedule' },
    '`perpscope schedule install` lets this machine refresh your download sets and run the checks at five past every hour, even while the app is closed: by a systemd user timer, a launchd agent or a task of the Task Scheduler. Two runs never overlap.',
    {
      code: 'perpscope set save morning --dataset funding --exchange VENUE --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange --last 7\nPERPSCOPE_API_KEY_FILE=~/.perpscope-key perpscope schedule install --set morning\nperpscope schedule status',
      language: 'Shell',
    },
    'Without a session there is often no keychain, so the scheduled run reads the key from the file that `PERPSCOPE_API_KEY_FILE` names, which nobody else may read (mode 0600). Failures appear in the inbox. `--print` shows the files and changes nothing. On a remote machine, `perpscope serve --install` writes a systemd user unit that serves the app.',
    { heading: 'Python' },
    'The module `perpscope` reads the cache with Polars, pandas, DuckDB or any engine that reads Parquet. It is one file without dependencies, and works while the app runs and downloads. `perpscope python wheel` writes it as a wheel, and `perpscope python path` prints where it is.',
    {
      code: 'pip install "$(perpscope python wheel)"',
      language: 'Shell',
    },
    {
      code: 'import perpscope\n\nflow = perpscope.scan("flow", base="BTC", interval="1m", start="2026-08-01", end="2026-08-07").collect()\nprices = perpscope.pandas("ohlcv", exchange="VENUE", interval="1h")\nsources = perpscope.provenance("ohlcv", exchange="VENUE", interval="1h")',
      language: 'Python',
    },
    'Without `exchange` or `symbol`, all that match are read, and the columns `exchange` and `symbol` tell them apart. `time` has one type whatever the files contain, and the rows are those of `perpscope read`. `files()` lists paths, and `duckdb(con, …)` returns a relation. `columns=` chooses columns, and `base`, `symbol` and `exchange` take lists. `events("trades", …)` reads raw events and `own(NAME)` your own data. With the local API running, `sql`, `formula`, `history`, `study`, `blend` and `plan` compute; what fails raises a `PerpscopeError` with its `remedy`.',
    { heading: 'Local API' },
    '`perpscope serve --api` lets other programs on this machine request rows, SQL, formulas and studies while it runs. It reads the cache and computes; it downloads and deletes nothing, and every study that it runs is recorded in the ledger. It is off unless you start it. [Settings → Network](/settings/network) has a switch that turns it on while the app runs, and shows its address and the path of its token.',
    {
      code: 'perpscope serve --api --port 8766\nTOKEN=$(cat "$(perpscope where)/door/token")\ncurl -H "Authorization: Bearer $TOKEN" "http://127.0.0.1:8766/v1/coverage?dataset=funding"\ncurl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"sql": "SELECT * FROM cache.files"}\' http://127.0.0.1:8766/v1/sql',
      language: 'Shell',
    },
    {
      list: [
        '`/v1/openapi.json` describes every path with the types of its answers, so that generators such as openapi-python-client and openapi-typescript make clients of it; openapi-fetch is told `application/json`. Tables come as JSON, or as an Arrow stream with `Accept: application/vnd.apache.arrow.stream`; both name the files behind the rows with their SHA-256.',
        'The token is new at every start and stored in a file that only you can read. Requests from web pages are refused, even under a host name that points to this machine.',
        'The limits are 50 requests per second, 1 MB per request and a million rows per response. `provenance.next` says where a long series continues. Files that outnumber the rows of an answer are in a list in the data folder, which `provenance.fileList` names; with `?provenance=full` the answer lists them.',
        'In Python, `perpscope.formula(…)`, `perpscope.study(…)` and `perpscope.portfolio(…)` use the local API.',
      ],
    },
    { heading: 'Assistants' },
    '`perpscope mcp` speaks the Model Context Protocol over stdin and stdout. An assistant that starts it can search the dictionary, list what is cached, read series, evaluate and draw formulas, run SQL, studies and tested portfolios, explain where numbers come from, and plan downloads.',
    {
      language: 'JSON',
      code: '{ "mcpServers": { "perpscope": { "command": "perpscope", "args": ["mcp"] } } }',
    },
    'A program without your path needs the full one that `which perpscope` prints.',
    {
      code: '{ "mcpServers": { "perpscope": { "command": "/usr/local/bin/perpscope", "args": ["mcp"] } } }',
      language: 'JSON',
    },
    {
      list: [
        'Each answer is one JSON text of at most 25 kB with provenance, unit and `known_at`, the time from which a row may be used. A longer result is written to a file that the answer names. Where the assistant’s program shows pages of tools (MCP apps), a formula comes with its chart.',
        'Nothing is downloaded unless you allow it: in the window, with `perpscope fetch`, or with `--allow-downloads` at the start. Nothing is deleted, and no tool shows a key.',
        'A study that an assistant runs is a trial in the ledger like any other. Names and messages of services are data inside strings; instructions in them change nothing here.',
      ],
    },
  ],
}
