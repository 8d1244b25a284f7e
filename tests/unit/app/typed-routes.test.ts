import { expect, it } from 'vitest'

type Place = Parameters<typeof navigateTo>[0]

it('navigateTo accepts only existing page names and path parameters at compile time', () => {
  const known: Place[] = [
    { name: 'audit' },
    { name: 'settings-section', params: { section: 'security' } },
    '/settings/security',
  ]
  // @ts-expect-error There is no page of this name.
  known.push({ name: 'audits' })
  // @ts-expect-error The path of this page has no part of this name.
  known.push({ name: 'settings-section', params: { sektion: 'security' } })
  expect(known).toHaveLength(5)
})
