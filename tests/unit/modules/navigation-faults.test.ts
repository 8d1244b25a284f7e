import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { PageFile } from '#fairway/modules/pages/page-files'
import { hasIcon, navigationFaults } from '#fairway/modules/pages/navigation-faults'
import { isFrameText } from '#fairway/modules/texts/read-texts'

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')
const texts = { plans: { title: 'Plans', nested: { deep: 'Deep' } }, settings: { title: 'Settings' } }
const ground = {
  hasText: (key: string) => isFrameText(texts, key),
  hasIcon: (name: string) => hasIcon(name, ['lucide'], root),
}
const good = { text: 'plans.title', icon: 'i-lucide-axe', order: 25 }
const faultsOf = (page: Partial<PageFile>) =>
  navigationFaults([{ path: '/plans', file: 'app/pages/plans.vue', ...page }], ground)

describe('navigationFaults', () => {
  it.each([
    ['a full one', { ...good, sidebar: false, roles: ['owner', 'admin'] }],
    ['a text deeper in its group', { ...good, text: 'plans.nested.deep' }],
    ['a shortcut', { ...good, shortcut: 'p' }],
    ['another name of an icon', { ...good, icon: 'i-lucide-home' }],
  ])('accepts an entry: %s', (_name, navigation) => expect(faultsOf({ meta: { navigation } })).toEqual([]))

  it('reports a shortcut that two pages use', () => {
    const page = (name: string, shortcut: string): PageFile => ({
      path: `/${name}`,
      file: `app/pages/${name}.vue`,
      meta: { navigation: { ...good, shortcut } },
    })
    expect(navigationFaults([page('plans', 'p'), page('books', 'b'), page('people', 'p')], ground)).toEqual([
      'app/pages/plans.vue and app/pages/people.vue: navigation.shortcut: g p leads to both; give one of them another key',
    ])
  })

  it('accepts a page without an entry', () => expect(faultsOf({ meta: { public: true } })).toEqual([]))

  it.each([
    [
      'a text that no catalog has',
      { ...good, text: 'plans.none' },
      /no catalog has the text plans\.none; add it to app\/locales\/en\.json/,
    ],
    ['a group instead of a text', { ...good, text: 'plans' }, /no catalog has the text plans;/],
    [
      'a text that only comes with other pages',
      { ...good, text: 'settings.title' },
      /no catalog has the text settings\.title/,
    ],
    ['no icon', { text: 'plans.title' }, /navigation\.icon: /],
    [
      'an icon that there is not',
      { ...good, icon: 'i-lucide-nothing-like-it' },
      /there is no icon i-lucide-nothing-like-it/,
    ],
    [
      'an icon of a collection that does not come along',
      { ...good, icon: 'i-mdi-home' },
      /there is no icon i-mdi-home;.*icon\.collections/,
    ],
    [
      'the name of an icon written otherwise',
      { ...good, icon: 'lucide:axe' },
      /navigation\.icon: must be the name of an icon/,
    ],
    ['an order that is no number', { ...good, order: 'first' }, /navigation\.order: /],
    ['a role that there is not', { ...good, roles: ['forester'] }, /navigation\.roles\.0: /],
    ['a shortcut of two keys', { ...good, shortcut: 'gp' }, /navigation\.shortcut: must be one small letter/],
    ['something else', { ...good, sidebars: true }, /navigation: .*sidebars/],
  ])('reports an entry with the file of its page: %s', (_name, navigation, fault) => {
    const faults = faultsOf({ meta: { navigation } })
    expect(faults).toEqual([expect.stringMatching(fault)])
    expect(faults[0]).toMatch(/^app\/pages\/plans\.vue: /)
  })

  it('accepts a page whose last path parameter is optional', () => {
    expect(faultsOf({ path: '/plans/:section?', meta: { navigation: good } })).toEqual([])
    expect(faultsOf({ path: '/plans/:section(monthly|yearly)?', meta: { navigation: good } })).toEqual([])
  })

  it('reports a page with a required path parameter, including one from a parent', () => {
    expect(faultsOf({ path: '/plans/:id()', meta: { navigation: good } })).toEqual([
      'app/pages/plans.vue: its address /plans/:id() has a parameter, so no entry can lead there; give the entry to a page without one',
    ])
    const child = { path: 'trees', file: 'app/pages/plans/[id]/trees.vue', meta: { navigation: good } }
    expect(faultsOf({ path: '/plans/:id()', children: [child] })).toEqual([
      expect.stringMatching(/^app\/pages\/plans\/\[id\]\/trees\.vue: its address \/plans\/:id\(\)\/trees has/),
    ])
  })

  it('reports a page that other sites embed', () => {
    expect(faultsOf({ meta: { embed: true, navigation: good } })).toEqual([
      expect.stringMatching(/take the entry away$/),
    ])
  })
})
