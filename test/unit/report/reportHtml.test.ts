import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { escapeHtml, scriptJson, unescapeHtml } from '#shared/report/escapeHtml.ts'
import { hoverScript } from '#shared/report/hoverScript.ts'
import { renderMarkdown } from '#shared/report/markdown.ts'
import { compareReports, shownValues } from '#shared/report/compareReports.ts'
import { lookOfReport, readReport, shownSources } from '#shared/report/readReport.ts'
import { attacks, hostilePage } from '../../fakes/hostileReport.ts'
import { lookHashes, reportHtml, reportLook, reportStyle } from '#shared/report/reportHtml.ts'
import { cpuMsOf } from '../../fakes/cpuTime.ts'

const sha = (text: string) => createHash('sha256').update(text).digest('base64')
const page = hostilePage(sha)
const html = reportHtml(page)

describe('a report', () => {
  it('allows its own script and styles by their hashes and nothing else', () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1]
    expect(policy).toContain("default-src 'none'".replaceAll("'", '&#39;'))
    const scripts = [...html.matchAll(/<script>([^]*?)<\/script>/g)].map(([, text]) => text)
    const styles = [...html.matchAll(/<style>([^]*?)<\/style>/g)].map(([, text]) => text)
    expect([scripts, styles]).toEqual([[hoverScript], [reportStyle]])
    for (const text of [...scripts, ...styles]) expect(policy).toContain(sha(text))
    const tags = html.replace(/<(style|script)[^>]*>[^]*?<\/\1>/g, '').match(/<[a-z][^>]*>/g) ?? []
    for (const tag of tags) expect(tag.replace(/"[^"]*"/g, '')).not.toMatch(/\s(?:src|srcset|action|style|on[a-z]+)=/)
  })

  it('is the same bytes for the same inputs', () => {
    expect(reportHtml(hostilePage(sha))).toBe(html)
  })

  it('has no two landmarks of one name', () => {
    const [part] = page.content.parts
    const twice = reportHtml({ ...page, content: { ...page.content, parts: [part, part] } })
    const named = `aria-label="${escapeHtml(part.title)}" data-kind="${part.kind}"`
    expect(twice.split(`<section ${named}`)).toHaveLength(2)
    expect(twice.split(`<section role="group" ${named}`)).toHaveLength(2)
    expect(twice).not.toContain('role="region"')
  })

  it('holds every hostile text as text', () => {
    for (const attack of attacks) {
      expect(html).toContain(escapeHtml(attack))
      expect(unescapeHtml(escapeHtml(attack)).length).toBe(attack.toWellFormed().length)
    }
    const elements = new Set(
      [...html.replace(/<(style|script)[^>]*>[^]*?<\/\1>/g, '').matchAll(/<([a-z0-9]+)/gi)].map(([, name]) =>
        name.toLowerCase(),
      ),
    )
    for (const name of ['img', 'iframe', 'object', 'base', 'form', 'link', 'foreignobject', 'animate'])
      expect(elements).not.toContain(name)
    expect(scriptJson('</script><!-- & \u2028')).not.toMatch(/[<>&\u2028]/)
  })

  it('writes every number in full beside its text, and reads them back', () => {
    expect(html).toContain('<data value="0.123456789012345">0.123457</data>')
    const numbers = shownValues(html)
    expect(numbers.get('Result › row › Value')).toBe('0.123456789012345')
    expect(numbers.get('Result › row › Value (as shown)')).toBe('0.123457')
    expect(numbers.get('Chart › Growth › 2026-08-02T00:00:00.000Z')).toBe('1.25')
  })

  it.each([
    ['a table', 'value="0.123456789012345"', 'value="0.123456789012346"', 'Result › row › Value'],
    ['a shown text', '>0.123457<', '>0.923457<', 'Result › row › Value (as shown)'],
    ['a hover value', '1.25', '1.26', 'Chart › Growth › 2026-08-02T00:00:00.000Z'],
    ['a text without a digit', '>row<', '>raw<', 'Result › raw › Name (text)'],
  ])('tells one edited number of %s', (_, was, edited, at) => {
    const { shown, markup } = compareReports(html.replace(was, edited), html)
    expect([shown.map((each) => each.at)[0], markup]).toEqual([at, []])
  })

  it('tells an edited drawing', () => {
    const edited = html.replace(/ d="M([\d.]+) /, ' d="M1 ')
    expect(compareReports(edited, html).shown[0].at).toContain('drawing')
  })

  const section = /<section aria-label="Result".*?<\/section>/s.exec(html)?.[0] ?? ''
  const number = '<data value="0.123456789012345">0.123457</data>'
  const fake = section.replace('0.123457', '0.923457')
  const replaced = (was: string, now: string): string => html.replace(was, () => now)

  it.each([
    ['the original in a template', replaced(section, `<template>${section}</template>${fake}`)],
    ['the original in a closed element', replaced(section, `${fake}<details><summary></summary>${section}</details>`)],
    ['a wrapped original alone', replaced(section, `<noscript>${section}</noscript>`)],
    ['a hidden attribute', replaced(number, number.replace('<data', '<data hidden'))],
    ['a style attribute', replaced(number, number.replace('<data', '<data style="font-size:0"'))],
    ['a direction', replaced(number, `<bdo dir="rtl">${number}</bdo>`)],
    ['a comment', replaced(number, `<!-- ${number} -->`)],
    ['full-width digits', replaced('>0.123457<', '>０.１２３４５７<')],
    ['a letter that looks the same', replaced('>Value<', '>Vаlue<')],
    ['a character of no width', replaced('>0.123457<', '>0.12\u200b3457<')],
    ['a character reference', replaced('>0.123457<', '>&#48;.123457<')],
    ['a bidirectional mark', replaced('>0.123457<', '>\u202e0.123457<')],
    ['words', replaced('</h1>', ' (audited)</h1>')],
    ['a title', replaced('<title>', '<title>Audited: ')],
    ['a rule that hides', replaced('</style>', 'data { visibility: hidden }</style>')],
    ['a second style', replaced('</head>', '<style>td::after { content: "9" }</style></head>')],
    [
      'no policy and a script',
      html.replace(/<meta http-equiv[^>]*>/, '').replace('</main>', '<script>1</script></main>'),
    ],
    ['a frame', replaced('</main>', '<iframe srcdoc="9.9"></iframe></main>')],
    ['an image', replaced('</main>', '<img src="data:image/png;base64,AA=="></main>')],
    ['a text in a drawing', replaced('</svg>', '<text x="9">9.9</text></svg>')],
    ['a landmark twice', replaced(section, fake + section)],
    ['an edited source', html.replace('<td class="hash">ab', '<td class="hash">ba')],
    ['an edited script', replaced("'use strict';", "'use strict';document.body.textContent = '9.9';")],
    ['a block after the end', html.replace('</body></html>', '<p>9.9</p></body></html>')],
    ['a second block', replaced('<main>', '<main><script type="application/json" id="perpscope-report">{}</script>')],
    ['space between elements', replaced('<main>', '<main> ')],
  ])('tells what a person would see or miss: %s', (_, edited) => {
    expect(edited).not.toBe(html)
    const { shown, markup } = compareReports(edited, html)
    expect([...shown, ...markup]).not.toEqual([])
  })

  it('names foreign markup beside numbers that differ', () => {
    const edited = replaced(section, `<template>${section}</template>${fake}`)
    const { shown, markup } = compareReports(edited, html)
    expect(shown).toContainEqual({ at: 'Result › row › Value (as shown) #2', was: '0.923457', now: null })
    expect(markup).toEqual([{ at: 'Page › element template', was: '<template>', now: null }])
  })

  it('compares points of any shape', () => {
    for (const points of ['null', '{"series":5}', '{"series":[{"values":7}]}', '[', '{"series":[null]}'])
      expect(
        compareReports(html.replace(/data-points="[^"]*"/, `data-points="${escapeHtml(points)}"`), html).shown,
      ).not.toEqual([])
  })

  it('compares a long edited page at once', () => {
    const compareAll = () => {
      for (const text of ['<a '.repeat(10_000), `<a ${'b'.repeat(200_000)}>`, '<'.repeat(10_000), '&'.repeat(200_000)])
        compareReports(replaced('<main>', `<main>${text}`), html)
    }
    expect(cpuMsOf(compareAll)).toBeLessThan(5000)
  })

  it('lists its style and its script among those that a replay knows', () => {
    expect(lookHashes.styles).toContain(sha(reportLook.style))
    expect(lookHashes.scripts).toContain(sha(reportLook.script))
    expect(lookOfReport(html, sha)).toEqual(reportLook)
    expect(lookOfReport(html.replace('</style>', ' </style>'), sha)).toEqual(reportLook)
  })

  it('reads back where its sources came from', () => {
    const [{ path, service, fetchedAt }] = page.content.sources
    expect(shownSources(html).get(path)).toEqual({ service, fetchedAt })
  })

  it('cannot be read when it is cut off, damaged or something else', () => {
    expect(readReport(html)).toMatchObject({ app: '1.2.3', definitions: { 'tearsheet.sharpe': 1 } })
    for (const length of [600, html.length - 2000, html.length - 3])
      expect(readReport(html.slice(0, length))).toEqual({ problem: 'was cut off: the end of the report is missing.' })
    expect(readReport('<html></html>')).toEqual({ problem: 'is not a report of Perpscope.' })
    expect(readReport(html.replace('"definitions":{', '"definitions":['))).toHaveProperty('problem')
    expect(readReport(html.replace('"version":1,', '"version":3,'))).toHaveProperty('problem')
    expect(readReport(html.replace('"note":"', '"note":"<!--<script>'))).toHaveProperty('problem')
  })
})

describe('a note in Markdown', () => {
  it('renders headings, lists, quotations, code and emphasis', () => {
    const note =
      '# Why\n\nThe **spread** of `a/b` is *wide*.\n\n- one\n- two\n  more\n\n1. first\n\n> said\n\n```\n<b>\n```\n---'
    expect(renderMarkdown(note)).toBe(
      '<h3>Why</h3>\n<p>The <strong>spread</strong> of <code>a/b</code> is <em>wide</em>.</p>\n<ul><li>one</li><li>two more</li></ul>\n<ol><li>first</li></ol>\n<blockquote><p>said</p></blockquote>\n<pre><code>&lt;b&gt;</code></pre>\n<hr>',
    )
  })

  it('renders tables, and the levels of headings', () => {
    expect(renderMarkdown('## Costs\nBefore:\n| a | **b** |\n|---|--:|\n| 1 | <b> |\n| 2\n\na | b')).toBe(
      '<h4>Costs</h4>\n<p>Before:</p>\n<table><thead><tr><th>a</th><th class="number"><strong>b</strong></th></tr></thead><tbody>' +
        '<tr><td>1</td><td class="number">&lt;b&gt;</td></tr><tr><td>2</td><td class="number"></td></tr></tbody></table>\n<p>a | b</p>',
    )
  })

  it.each([
    ['[x](javascript:alert(1))', 'javascript:'],
    ['[x](data:text/html,<script>alert(1)</script>)', 'data:'],
    ['[x](vbscript:x)', 'vbscript:'],
    ['[x](//evil.example/a)', '//evil'],
    ['[x](https://a.example/" onclick="alert(1))', 'onclick'],
    ['<a href="https://evil.example" onclick=alert(1)>x</a>', 'onclick'],
    ['![x](https://evil.example/pixel.png)', 'img'],
    ['<img src=x onerror=alert(1)>', 'img'],
  ])('makes no element of %s', (note) => {
    const rendered = renderMarkdown(note)
    expect(rendered).not.toMatch(/<(?:img|script|iframe)|<[^>]*\son\w+=/i)
    for (const [, href] of rendered.matchAll(/href="([^"]*)"/g)) expect(href).toMatch(/^https?:\/\//)
  })

  it('links to web pages', () => {
    expect(renderMarkdown('[paper](https://a.example/x?a=1&b=2)')).toBe(
      '<p><a href="https://a.example/x?a=1&amp;b=2" rel="noopener noreferrer nofollow">paper</a></p>',
    )
  })

  it('renders long hostile notes at once', () => {
    const notes = [
      '*'.repeat(50_000),
      '['.repeat(50_000),
      '> '.repeat(20_000),
      '`'.repeat(50_000),
      '_a'.repeat(40_000),
      'a|'.repeat(40_000),
      'a|b\n'.repeat(20_000),
      `a|b\n-|-\n${'|\n'.repeat(20_000)}`,
      `# a${' '.repeat(90_000)}b`,
      `# ${' '.repeat(90_000)}a\u2028b`,
    ]
    expect(cpuMsOf(() => notes.forEach(renderMarkdown))).toBeLessThan(2000)
  })
})
