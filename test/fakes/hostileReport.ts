import { definitionVersions, plainNumber } from '#shared/report/reportContent.ts'
import type { ReportPage } from '#shared/report/reportHtml.ts'

/** Texts that would run code or send a request in a page that does not escape them. */
export const attacks = [
  '<script>window.ran = 1</script>',
  '"><img src=x onerror="window.ran = 2">',
  "' onmouseover='window.ran = 3' x='",
  '</title></style></script></svg><script>window.ran = 4</script>',
  '<svg onload=window.ran=5>',
  '<iframe src="javascript:parent.ran=6"></iframe>',
  '<base href="https://evil.example/"><link rel=stylesheet href=x>',
  '<form action=https://evil.example><input name=a>',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '&lt;script&gt;window.ran = 7&lt;/script&gt;',
  ']]><!--<script>window.ran = 8</script>-->',
  '=HYPERLINK("https://evil.example")',
  'SELECT \'<img src=https://evil.example/a.png>\' AS "<b onclick=window.ran=9>"',
  '{{constructor.constructor("window.ran = 10")()}}',
] as const

const all = attacks.join('\n')
const x = Float64Array.of(Date.UTC(2026, 7, 1), Date.UTC(2026, 7, 2), Date.UTC(2026, 7, 3))

/** Builds a page with hostile text in every field that takes text. */
export function hostilePage(hashOf: (text: string) => string): ReportPage {
  const rows = attacks.map((attack) => [attack, plainNumber(1), attack])
  return {
    kind: 'sql',
    note: `${all}\n\n[x](javascript:window.ran=11) ![y](https://evil.example/pixel.png)`,
    query: { kind: 'sql', sql: all, parameters: { [attacks[0]]: attacks[1] } },
    version: '1.2.3',
    connection: { id: attacks[2], name: attacks[1] },
    hashOf,
    content: {
      title: all,
      subtitle: all,
      isSynthetic: true,
      warnings: attacks,
      definitions: definitionVersions(['tearsheet.sharpe']),
      sources: [{ path: `files/${attacks[1]}`, sha256: 'ab'.repeat(32), service: attacks[0], fetchedAt: 0 }],
      parts: [
        { kind: 'table', title: 'Result', columns: ['Name', 'Value'], rows: [['row', plainNumber(0.123456789012345)]] },
        { kind: 'table', title: all, columns: [...attacks], rows, note: all },
        {
          kind: 'chart',
          title: 'Chart',
          style: 'line',
          names: null,
          series: [
            { label: 'Growth', numberKind: 'ratio', x, values: Float64Array.of(1, 1.25, NaN) },
            { label: all, numberKind: 'ratio', unit: attacks[1], x, values: Float64Array.of(1, NaN, 2) },
          ],
        },
        {
          kind: 'chart',
          title: all,
          style: 'bars',
          names: [...attacks],
          series: [
            {
              label: all,
              numberKind: 'count',
              x: Float64Array.from(attacks.keys()),
              values: Float64Array.from(attacks, () => 2),
            },
          ],
        },
        { kind: 'code', title: all, text: all },
        { kind: 'text', title: all, lines: [all] },
      ],
    },
  }
}
