import { expect, it } from 'vitest'
import { createKeyRing, seal, sealDeterministic, unseal, UnsealError } from '#fairway/server/kernel/crypto/seal'

const OLD = 'o'.repeat(16) + 'LqTz7RmW4pYc8NbJ'
const NEW = 'n'.repeat(16) + 'd3FsA6uEkX9v2KpQ'
const keys = createKeyRing([NEW, OLD])

it('seal returns a different result each time, and unseal restores the text', () => {
  const first = seal(keys, 'mail', 'Grüße', 'row-1')
  expect(unseal(keys, 'mail', first, 'row-1')).toBe('Grüße')
  expect(Buffer.from(first.split('.')[1]!, 'base64url').includes('Grüße')).toBe(false)
  expect(seal(keys, 'mail', 'Grüße', 'row-1')).not.toBe(first)
})

it('sealDeterministic returns the same result only for the same text and place', () => {
  const first = sealDeterministic(keys, 'cursor', 'text', 'place')
  expect(sealDeterministic(keys, 'cursor', 'text', 'place')).toBe(first)
  expect(unseal(keys, 'cursor', first, 'place')).toBe('text')
  const nonceOf = (sealed: string) => sealed.slice(9, 9 + 16)
  const others = [
    sealDeterministic(keys, 'cursor', 'texu', 'place'),
    sealDeterministic(keys, 'cursor', 'text', 'other'),
  ]
  expect(new Set([first, ...others].map(nonceOf)).size).toBe(3)
})

it('unseal opens text sealed with an earlier secret', () => {
  const sealed = seal(createKeyRing([OLD]), 'mail', 'text', 'row-1')
  expect(unseal(keys, 'mail', sealed, 'row-1')).toBe('text')
})

it.each([
  ['another row', (sealed: string) => unseal(keys, 'mail', sealed, 'row-2')],
  ['another purpose', (sealed: string) => unseal(keys, 'vault', sealed, 'row-1')],
  ['a secret that is gone', (sealed: string) => unseal(createKeyRing([OLD]), 'mail', sealed, 'row-1')],
  ['a changed text', (sealed: string) => unseal(keys, 'mail', flip(sealed), 'row-1')],
  ['a cut text', (sealed: string) => unseal(keys, 'mail', sealed.slice(0, 20), 'row-1')],
  ['another spelling', (sealed: string) => unseal(keys, 'mail', `${sealed}.`, 'row-1')],
  ['something else', () => unseal(keys, 'mail', 'plain text', 'row-1')],
])('unseal rejects %s', (_name, open) => {
  expect(() => open(seal(keys, 'mail', 'text', 'row-1'))).toThrow(UnsealError)
})

const flip = (sealed: string): string => {
  const middle = Math.floor((sealed.length + 9) / 2)
  return sealed.slice(0, middle) + (sealed[middle] === 'A' ? 'B' : 'A') + sealed.slice(middle + 1)
}
