import { expect, it } from 'vitest'
import { toWords } from '#fairway/app/tools/action-title'

it.each([
  ['itemsPerPage', 'Items per page'],
  ['note-list', 'Note list'],
  ['owner_email', 'Owner email'],
  ['id', 'Id'],
])('turns the name %s into words', (name, words) => expect(toWords(name)).toBe(words))
