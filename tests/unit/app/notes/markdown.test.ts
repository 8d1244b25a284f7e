import { describe, expect, it } from 'vitest'
import { createSSRApp, h } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { renderMarkdown } from '~/notes/markdown'
import { NOTE_TEXT_LENGTH } from '../../../../shared/note'

const rendered = async (text: string) => {
  const app = createSSRApp(() => h('div', renderMarkdown(text, { done: 'Done', open: 'Not done' })))
  return (await renderToString(app)).replaceAll(/<!--.*?-->/g, '')
}

describe('renderMarkdown', () => {
  it('renders headings one level below the title, lists, tasks, tables and code', async () => {
    expect(await rendered('# One\n\n- a\n- **b**')).toContain(
      '<h2>One</h2><ul><li>a</li><li><strong>b</strong></li></ul>',
    )
    const tasks = await rendered('- [x] sent\n- [ ] paid')
    expect(tasks).toContain('<input type="checkbox" checked disabled aria-label="Done"> sent')
    expect(tasks).toContain('<input type="checkbox" disabled aria-label="Not done"> paid')
    expect(await rendered('| a | b |\n|---|---|\n| 1 | 2 |')).toContain('<tr><td>1</td><td>2</td></tr>')
    expect(await rendered('```\n<b>\n```')).toContain('<code>&lt;b&gt;</code>')
    expect(await rendered('AT&amp;T, 1 < 2\nnext')).toContain('<p>AT&amp;T, 1 &lt; 2<br>next</p>')
    expect(await rendered('3. three\n4. four')).toContain('<ol start="3"><li>three</li>')
  })

  it('renders HTML as plain text', async () => {
    for (const text of [
      '<script>alert(1)</script>',
      'a <img src=x onerror=alert(1)> b',
      '<div onclick="x()">\n\ninside\n\n</div>',
      '<a href="javascript:alert(1)">x</a>',
    ]) {
      const html = await rendered(text)
      expect(html.replace(/^<div>|<\/div>$/g, '')).not.toMatch(/<(script|img|a|div)[\s>]/)
      expect(html).toContain('&lt;')
    }
  })

  it('links only to web pages and email addresses, without opener or referrer', async () => {
    expect(await rendered('[go](https://example.com/x "t")')).toContain(
      '<a href="https://example.com/x" target="_blank" rel="noopener noreferrer nofollow">go</a>',
    )
    expect(await rendered('<mailto:ada@example.test>')).toContain('href="mailto:ada@example.test"')
    for (const href of [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      '/settings',
      '//x',
    ]) {
      expect(await rendered(`[go](${href})`)).not.toContain('<a')
      expect(await rendered(`[go]( ${href})`)).not.toContain('<a')
    }
    expect(await rendered('[go](java&#115;cript:alert(1))')).not.toContain('<a')
  })

  it('renders images as links and never loads them', async () => {
    const html = await rendered('![a berth](https://example.com/berth.png)')
    expect(html).toContain('href="https://example.com/berth.png"')
    expect(html).toContain('>a berth</a>')
    expect(html).not.toContain('<img')
    expect(await rendered('![x](data:image/png;base64,AA)')).not.toMatch(/<img|<a/)
  })

  it('renders realistic notes of the maximum length', async () => {
    const html = await rendered(filled(HONEST))
    expect(html).toContain('<li>nested <strong>item</strong></li>')
    expect(html).not.toContain('whitespace-pre-line')
    expect(
      await rendered(filled('A [link](https://example.com) and *words* in **one** paragraph of lines.\n')),
    ).toContain('<strong>one</strong>')
    const deep = Array.from({ length: 15 }, (_, level) => `${'  '.repeat(level)}- ${level}\n`).join('')
    expect(await rendered(deep)).toContain('<li>14</li>')
  })

  it.each(['~~a ', '**a ', '__a ', '_a ', '*a *', '**é，', '~a ', '> - ', '1. '])(
    'falls back to plain text when rendering would take too long: %s',
    async piece => {
      expect(await rendered(filled(piece))).toMatch(/^<div><p class="whitespace-pre-line">[^<]*<\/p><\/div>$/)
    },
  )

  // Without a bound, some of these notes take minutes. The limit is that of a hang, not of a speed.
  it('ends for every note of the maximum length', { timeout: 60_000 }, () => {
    const empty = hostile().filter(([, text]) => renderMarkdown(text, { done: '', open: '' }).length === 0)
    expect(empty.map(([name]) => name)).toEqual([])
  })
})

const LONGEST = NOTE_TEXT_LENGTH
const HONEST = `## Heading

Some *words* with **strong** parts, a [link](https://example.com/page) and \`code\`, ~~gone~~.

- one item
  - nested **item**
- [x] done

| a | b |
|---|---|
| 1 | *2* |

> quoted text

`

/** A piece, repeated up to the length limit of a note. */
const filled = (piece: string): string => piece.repeat(LONGEST / piece.length)

/** Texts of maximum length that make rules of Markdown retry many times. */
function hostile(): [string, string][] {
  const marks = [
    '~~a ',
    '~a ',
    '**a ',
    '__a ',
    '_a ',
    '*a ',
    '*a **b ',
    '*a **a',
    '*a_',
    '_a_',
    'a_b',
    '**é，',
    '*',
    '_',
    '~',
    '* _',
  ]
  const links = [
    '[a](',
    '![a](',
    '[',
    '![',
    '[a][',
    '[a](<',
    '[a]("',
    '[a](b(c)',
    '[a]((',
    '[a\n',
    '\\[',
    '!',
    '[a]: b\n',
  ]
  const blocks = [
    '> ',
    '>',
    '- ',
    '> - ',
    '- > ',
    '1. ',
    '1) ',
    '- a\n',
    '- a\n\n',
    'a\n-\n',
    '# ',
    '```\n',
    '- ```\n',
    '| ',
    '|a',
  ]
  const others = [
    '<a ',
    '</a>',
    '<!--',
    '<',
    '&amp;',
    '\\',
    '`a ',
    'a@',
    'a.',
    'http://a.b/(((',
    '\t',
    ' ',
    '\n',
    'a  \n',
  ]
  const half = LONGEST / 2
  const crowd = (piece: string) => 'x '.repeat(LONGEST / 4) + piece.repeat(1900 / 2).slice(0, half)
  return [
    ...[...marks, ...links, ...blocks, ...others].map(piece => [piece, filled(piece)] satisfies [string, string]),
    ...marks.map(piece => [`fewer ${piece}`, crowd(piece)] satisfies [string, string]),
    ['backticks of many lengths', Array.from({ length: 198 }, (_, index) => '`'.repeat(index + 1)).join(' ')],
    ['marks around', '*'.repeat(half - 1) + 'a' + '*'.repeat(half)],
    ['brackets around', '['.repeat(half) + ']'.repeat(half)],
    ['wide table', '|a'.repeat(1000) + '|\n' + '|-'.repeat(1000) + '|\n' + 'x\n'.repeat(LONGEST / 2 - 2010)],
    ['nested lists', '- '.repeat(LONGEST / 4) + 'a\n'.repeat(LONGEST / 4)],
    ['nested quotes', '> '.repeat(LONGEST / 4) + 'a\n'.repeat(LONGEST / 4)],
    [
      'steps',
      Array.from({ length: 138 }, (_, level) => `${'  '.repeat(level)}- a\n`)
        .join('')
        .slice(0, LONGEST),
    ],
    ['references', '[a]: b\n\n' + '[a]['.repeat(LONGEST / 4 - 2)],
    ['spaces', `a${' '.repeat(LONGEST - 2)}b`],
    ['a heading of spaces', `# a${' '.repeat(LONGEST - 10)}#b`],
    ['an address', 'a'.repeat(LONGEST - 2) + '@'],
    ['a link of entities', 'http://a.b/' + '&a;'.repeat(6000)],
  ]
}
