import { describe, expect, it } from 'vitest'
import { marked, openRowOf, toHit } from '#fairway/app/palette/collection-search'

const notes = { name: 'notes', path: '/notes', title: 'title', description: 'text', filter: 'title', to: '/n/{id}' }

describe('the row of a page', () => {
  it.each([
    ['/n/a%2Fb', 'a/b'],
    ['/n/', undefined],
    ['/n/7/edit', undefined],
    ['/other/7', undefined],
  ])('%s is %s', (path, id) => expect(openRowOf([notes], path)?.id).toBe(id))
})

describe('search hits', () => {
  it('contain a title, a description and the path of the page', () => {
    expect(toHit(notes, { id: 'a/b', title: 'Plan', text: 'Cranes' })).toMatchObject({
      title: 'Plan',
      description: 'Cranes',
      to: '/n/a%2Fb',
    })
    expect(toHit(notes, { id: 7, title: 'Plan', text: '' })).not.toHaveProperty('description')
  })

  it.each([
    ['each occurrence, case ignored', 'Harbour, harbour', 'HARBOUR', '<mark>Harbour</mark>, <mark>harbour</mark>'],
    ['words with other marks', 'Die Straße, a\u0308rzte', 'ÄRZTE', 'Die Straße, <mark>a\u0308rzte</mark>'],
    ['a letter that stands for two', 'Großkunden', 'ROSS', 'G<mark>roß</mark>kunden'],
    ['half of such a letter', 'Maß', 'mas', '<mark>Maß</mark>'],
    ['nothing without a text', 'Harbour', ' ', 'Harbour'],
    ['no markup of the text itself', '<b>&"x"</b>', 'x', '&lt;b&gt;&amp;&quot;<mark>x</mark>&quot;&lt;/b&gt;'],
    ['markup that was searched for', 'a <b> c', '<b>', 'a <mark>&lt;b&gt;</mark> c'],
  ])('mark %s', (_name, text, query, html) => expect(marked(text, query)).toBe(html))

  it('cut a long text shortly before the first match', () => {
    const html = marked(`${'word '.repeat(60)}needle ${'tail '.repeat(60)}`, 'needle')
    expect(html).toMatch(/^….{20,40}<mark>needle<\/mark>/)
    expect(html.length).toBeLessThan(200)
  })
})
