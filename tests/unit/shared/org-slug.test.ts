import { describe, expect, it } from 'vitest'
import { orgPagePath } from '#fairway/shared/org-path'
import { isReservedSlug, isSlug, toSlug } from '#fairway/shared/org-slug'

describe('toSlug', () => {
  it.each([
    ['Acme', 'acme'],
    ['Northwind Traders, Inc.', 'northwind-traders-inc'],
    ["Ada Lovelace's organization", 'ada-lovelaces-organization'],
    ['Ada Lovelace’s organization', 'ada-lovelaces-organization'],
    ['Müller & Söhne Straße', 'muller-sohne-strasse'],
    ['Ærøskøbing', 'aeroskobing'],
    ['  --A--B--  ', 'a-b'],
    ['a'.repeat(60), 'a'.repeat(40)],
    [`${'a'.repeat(39)} b`, 'a'.repeat(39)],
  ])('turns “%s” into %s', (name, slug) => {
    expect(toSlug(name)).toBe(slug)
    expect(isSlug(slug)).toBe(true)
  })

  it.each(['東京', 'Ω', '!', 'A', 'Team', 'API'])('has none for “%s”', name => {
    expect(toSlug(name)).toBeUndefined()
  })
})

describe('isSlug', () => {
  it.each(['ab', 'a1', '42', 'a-b-c', 'a'.repeat(40)])('accepts %s', slug => expect(isSlug(slug)).toBe(true))
  it.each(['', 'a', 'A', 'a b', '-a', 'a-', 'a--b', 'ä', 'a/b', 'a%2f', 'a'.repeat(41)])('refuses “%s”', slug =>
    expect(isSlug(slug)).toBe(false),
  )
})

it('reserves words of the product', () => {
  expect(['admin', 'new', 'acme'].map(isReservedSlug)).toEqual([true, true, false])
})

it('builds the address of a page', () => {
  expect([orgPagePath('acme', '/team'), orgPagePath('acme', '/'), orgPagePath(null, '/team')]).toEqual([
    '/o/acme/team',
    '/o/acme/',
    '/team',
  ])
})
