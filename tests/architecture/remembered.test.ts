import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CACHES } from '#fairway/server/kernel/cache'

const text = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8')
const table = text.slice(text.indexOf('| name | what | most |')).split('\n\n', 1)[0] ?? ''

it('ARCHITECTURE.md lists every named cache with its size and whether FW_SHORTCUTS=off empties it', () => {
  const rows = table
    .split('\n')
    .slice(2)
    .map(row => row.split('|').map(cell => cell.trim()))
  expect(rows.map(([, name, , most, , off]) => [name, most, off])).toEqual(
    Object.entries(CACHES).map(([name, { most, isShortcut }]) => [
      `\`${name}\``,
      String(most),
      isShortcut ? 'yes' : 'no',
    ]),
  )
})
