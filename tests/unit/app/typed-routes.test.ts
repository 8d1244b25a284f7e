import { expect, it } from 'vitest'

type Place = Parameters<typeof navigateTo>[0]

it('the compiler knows the pages by name, and the parts of their paths', () => {
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
