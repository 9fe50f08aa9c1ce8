import { commandLines } from '#shared/contract/commandLines.ts'
import type { GuideSection } from '../guideSection.ts'

export const commandLine: GuideSection = {
  id: 'command-line',
  title: 'Command line',
  keywords: 'terminal script cron json exit status perpscope',
  blocks: [
    'The command `perpscope` is the same app without a window: same data, same connections, same queue. In a checkout, `npm install -g .` puts it on the path (Node 20 or newer; the first call builds it), and `npm run -s cli --` runs it without; paths are meant from your folder in both. An installed app includes it (on Linux the Debian package puts it on the path; elsewhere it is in the app’s folder `resources/bin`). `perpscope self-check` says whether everything works.',
    {
      terms: Object.entries(commandLines).map(([verb, message]) => [`\`perpscope ${verb}\``, message] as const),
    },
    { heading: 'Choosing symbols and days' },
    {
      list: [
        '`--symbol BTC-USDT,ETH-USDT` takes short names; one with several meanings is refused with all of them. `all` and `perpetual-*` choose many, `--top 50` of them those with the highest turnover in the cache.',
        '`--start -60d`, `today`, `yesterday`, `this month` and `last month` are days in UTC; `--days 60` is the last 60 whole ones.',
        '`perpscope connection edit NAME --default-exchange VENUE --default-timestamp exchange` sets what `--exchange` and `--timestamp` are where you leave them out.',
        '`-` is standard input wherever a file is read.',
      ],
    },
    { heading: 'In scripts' },
    {
      list: [
        'Results go to stdout, everything else to stderr. `--json` prints one document, or one object per line where results stream.',
        'The exit status is 0 for success, 1 for failure, 2 for wrong usage, 3 when some files failed or findings are open, 4 when a check hit, and 130 when interrupted. What was finished is kept.',
        '`--offline` sends no request. `--connection NAME` uses a connection other than the active one.',
        '`perpscope COMMAND --help` fits a screen; `--help --all` explains every option and all of `--json`.',
        'Removing more than 100 files asks on a terminal, and needs `--yes` without one.',
        'A data folder that can only be read, such as a shared one, answers `read`, `sql`, `ls`, `export`, `study run --no-record` and the lists, also while another program writes to it.',
      ],
    },
    { heading: 'A nightly download' },
    {
      language: 'crontab',
      code: 'PATH=/usr/local/bin:/usr/bin:/bin\nPERPSCOPE_API_KEY_FILE=/home/me/.perpscope-key\n15 1 * * *  perpscope --quiet fetch --dataset flow,ohlcv --exchange VENUE --symbol BTC-USDT --interval 1m --timestamp exchange --days 30',
    },
    'Cron knows neither your path nor your keychain, so the first two lines name the folders of `perpscope` and `node` (as `which perpscope node` prints them) and a file of mode 0600 with the key. Files that are already cached are not fetched again; only new days are fetched.',
  ],
}
