import { describe, expect, it } from 'vitest'
import { accessFaults } from '#fairway/modules/pages/access-faults'
import { compilePages, type PageFile } from '#fairway/modules/pages/page-files'

/** The faults of one page whose `definePageMeta` is `argument`, of which Nuxt has read `meta`. */
const faultsOf = (argument: string, meta: Record<string, unknown> = {}, file = 'app/pages/plans.vue') =>
  accessFaults(
    [{ path: '/plans', file, meta }],
    () => `<script setup lang="ts">\n\ndefinePageMeta(${argument})\n</script>\n<template><h1>Plans</h1></template>`,
  )

describe('who may open a page', () => {
  it.each([
    ['{ public: !0 }', 'public: !0'],
    ['{ layout: false, public: isPublic }', 'public: isPublic'],
    ["{ 'public': isPublic }", "'public': isPublic"],
    ['{ public }', 'public'],
    ['{ embed: !0 }', 'embed: !0'],
    ['{ ...shared }', '...shared'],
    ["{ ['public']: true }", "['public']: true"],
    ['shared', 'shared'],
  ])('stops the build with file, line and fix where the build cannot read it: %s', (argument, code) => {
    const [fault, ...others] = faultsOf(argument)
    expect(others).toEqual([])
    expect(fault).toMatch(/^app\/pages\/plans\.vue:3: /)
    expect(fault).toContain(`\`${code}\` decides who may open the page, and the build cannot read it. Write `)
  })

  it.each([
    ['{ public: "yes" }', { public: 'yes' }],
    ['{ public: { maxAge: -1 } }', { public: { maxAge: -1 } }],
    ['{ public: { maxage: 60 } }', { public: { maxage: 60 } }],
    ['{ embed: 1 }', { embed: 1 }],
  ])('stops the build for another value: %s', (argument, meta) => {
    expect(faultsOf(argument, meta)).toHaveLength(1)
  })

  it.each([
    ['{ public: true }', { public: true }],
    ['{ public: false, embed: true }', { public: false, embed: true }],
    ['{ public: { maxAge: 60 }, layout: name }', { public: { maxAge: 60 } }],
    ['{ layout: name, middleware: [() => {}] }', {}],
  ])('is clear: %s', (argument, meta) => {
    expect(faultsOf(argument, meta)).toEqual([])
  })

  it('stops the build for a public page inside a private one', () => {
    const inside = (parent: PageFile['meta'], child: PageFile['meta']) =>
      accessFaults(
        [{ path: '/docs', file: 'docs.vue', meta: parent, children: [{ path: 'a', file: 'docs/a.vue', meta: child }] }],
        () => undefined,
      )
    expect(inside({}, { public: true })).toEqual([
      'docs/a.vue: it is shown inside docs.vue, which needs a session. Give that page `public: true` too, or move this one out of its folder',
    ])
    expect(inside({}, { embed: true })).toHaveLength(1)
    expect(inside({ public: true }, { public: true })).toEqual([])
    expect(inside({ public: true }, {})).toEqual([])
  })
})

it('a page is private inside a private page, and public with a time that caches may keep it', () => {
  const of = (parent: PageFile['meta'], child: PageFile['meta']) => {
    const pages = compilePages([{ path: '/docs', meta: parent, children: [{ path: 'a', meta: child }] }])
    const { kind, maxAge } = pages.find(({ path }) => path === '/docs/a')!
    return [kind, maxAge]
  }
  expect(of({}, { public: true })).toEqual(['private', undefined])
  expect(of({}, { embed: true })).toEqual(['private', undefined])
  expect(of({ public: true }, {})).toEqual(['private', undefined])
  expect(of({ public: true }, { public: { maxAge: 60 } })).toEqual(['public', 60])
  expect(of({ public: true }, { embed: true })).toEqual(['embed', undefined])
})
