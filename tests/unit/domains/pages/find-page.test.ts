import { describe, expect, it } from 'vitest'
import { compilePages, scriptsOf } from '#fairway/modules/pages/page-files'
import { askedLanguage, findPage } from '#fairway/server/domains/pages'

const pages = compilePages([
  { path: '/' },
  { path: '/about', meta: { public: true } },
  { path: '/notes', children: [{ path: ':id()' }] },
  { path: '/docs/:slug(.*)*', meta: { public: true } },
  { path: '/widget', meta: { embed: true } },
])

describe('findPage', () => {
  it('returns one key for all addresses of a private page, with its scripts', () => {
    expect(findPage('/', pages)).toEqual({ key: 'private:/', kind: 'private', status: 200 })
    const withScripts = pages.map(page => ({ ...page, scripts: [`${page.path}.js`] }))
    const note = { key: 'private:/notes/:id()', kind: 'private', status: 200, scripts: ['/notes/:id().js'] }
    expect(findPage('/notes/7', withScripts)).toEqual(note)
    expect(findPage('/notes/8', withScripts)).toEqual(note)
  })

  it('returns one key per public page for all spellings that the router treats as equal', () => {
    expect(findPage('/about', pages).key).toBe('public:/about')
    expect(findPage('/About/', pages).key).toBe('public:/about')
    expect(findPage('/docs/a/b', pages).key).toBe('public:/docs/a/b')
  })

  it('keeps the case of parameters, so that different addresses never share a page', () => {
    const keys = ['/docs/ABC', '/docs/abc', '/docs/Abc/'].map(path => findPage(path, pages).key)
    expect(keys).toEqual(['public:/docs/ABC', 'public:/docs/abc', 'public:/docs/Abc'])
  })

  it('returns the declared path for every spelling of a page without parameters', () => {
    const spellings = ['/about', '/ABOUT', '/aBoUt/'].map(path => findPage(path, pages))
    for (const found of spellings) expect(found).toMatchObject({ key: 'public:/about', path: '/about' })
  })

  it('recognizes embed pages', () => {
    expect(findPage('/widget', pages).kind).toBe('embed')
  })

  it('returns the page that the router shows, even when a catch-all page comes first', () => {
    const any = { path: '/:slug(.*)*', meta: { public: true } }
    const withAny = compilePages([
      any,
      { path: '/settings' },
      { path: '/help', alias: '/hilfe', meta: { embed: true } },
    ])
    expect(findPage('/settings', withAny)).toEqual({ key: 'private:/settings', kind: 'private', status: 200 })
    expect(findPage('/hilfe', withAny).kind).toBe('embed')
    expect(findPage('/elsewhere', withAny).kind).toBe('public')
  })

  it('returns a key per language for public pages only', () => {
    expect(findPage('/about', pages, 'de')).toEqual({
      key: 'public:/about?lang=de',
      kind: 'public',
      status: 200,
      path: '/about',
      language: 'de',
    })
    expect(findPage('/notes/7', pages, 'de')).toEqual(findPage('/notes/7', pages))
    expect(findPage('/widget', pages, 'de')).toEqual(findPage('/widget', pages))
  })

  it('returns the shell with status 404 for an unknown path', () => {
    expect(findPage('/nothing/here', pages)).toEqual({ key: 'missing', kind: 'private', status: 404 })
  })
})

describe('scriptsOf', () => {
  const built = {
    'entry.js': { file: 'entry.1.js', isEntry: true, imports: ['_vue.js'] },
    '_vue.js': { file: 'vue.1.js' },
    '_list.js': { file: 'list.1.js', imports: ['entry.js', '_cell.js'] },
    '_cell.js': { file: 'cell.1.js', imports: ['_list.js'] },
    'pages/notes.vue': { file: 'notes.1.js', src: 'pages/notes.vue', imports: ['entry.js', '_list.js'] },
  }

  it('returns the script of a page and its imports once each, without the entry', () => {
    expect(scriptsOf(built, src => src === 'pages/notes.vue')).toEqual(['notes.1.js', 'list.1.js', 'cell.1.js'])
  })

  it('returns no scripts for a page that is not built', () => {
    expect(scriptsOf(built, src => src === 'pages/other.vue')).toEqual([])
    expect(scriptsOf({}, () => true)).toEqual([])
  })
})

describe('askedLanguage', () => {
  it.each([
    ['/about', undefined],
    ['/about?lang=de', 'de'],
    ['/about?utm=1&lang=ar', 'ar'],
    ['/about?lang=en', undefined],
    ['/about?lang=DE', undefined],
    ['/about?lang=fr', undefined],
    ['/about?lang=de%22', undefined],
    ['/lang=de', undefined],
  ])('reads %s as %s', (target, language) => {
    expect(askedLanguage(target, ['en', 'de', 'ar'])).toBe(language)
  })

  it('has no address for the default language, which is the first one', () => {
    expect(askedLanguage('/about?lang=de', ['de', 'en'])).toBeUndefined()
    expect(askedLanguage('/about?lang=en', ['de', 'en'])).toBe('en')
  })
})
