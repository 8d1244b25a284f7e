import { describe, expect, it } from 'vitest'
import { createSSRApp, h } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { renderMarkdown } from '~/notes/markdown'

const rendered = async (text: string) => {
  const app = createSSRApp(() => h('div', renderMarkdown(text, { done: 'Done', open: 'Not done' })))
  return (await renderToString(app)).replaceAll(/<!--.*?-->/g, '')
}

describe('renderMarkdown', () => {
  it('makes headings below the title, lists, tasks, tables and code', async () => {
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

  it('shows HTML as the text that it is', async () => {
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

  it('leads to pages and mailboxes alone, and tells them nothing', async () => {
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

  it('loads no pictures: they are links', async () => {
    const html = await rendered('![a berth](https://example.com/berth.png)')
    expect(html).toContain('href="https://example.com/berth.png"')
    expect(html).toContain('>a berth</a>')
    expect(html).not.toContain('<img')
    expect(await rendered('![x](data:image/png;base64,AA)')).not.toMatch(/<img|<a/)
  })

  it('survives what is nested deeper than anybody writes, in a moment', async () => {
    const began = performance.now()
    for (const piece of ['>', '- ', '[', '![', '**', '`', '<', '&amp;', '| ', '[a](', '* _', '*a **b ', '# ', '\\'])
      expect(await rendered(piece.repeat(20_000 / piece.length))).toContain('<div>')
    expect(performance.now() - began).toBeLessThan(5000)
  })
})
