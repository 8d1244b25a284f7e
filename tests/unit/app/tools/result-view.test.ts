import { describe, expect, it } from 'vitest'
import { isNothing, isTime, personIn, resultParts } from '#fairway/app/tools/result-view'

describe('resultParts', () => {
  it('returns named values first, then tables', () => {
    const notes = [
      { id: '1', title: 'First', tags: [], pinned: false },
      { id: '2', title: 'Second', tags: [], pinned: true },
    ]
    expect(resultParts({ notes, totalItems: 2 })).toEqual([
      { kind: 'pairs', label: '', pairs: [{ key: 'totalItems', label: 'Total items', value: 2 }] },
      {
        kind: 'table',
        label: 'Notes',
        columns: [
          { key: 'title', label: 'Title' },
          { key: 'pinned', label: 'Pinned' },
          { key: 'id', label: 'Id' },
        ],
        rows: notes,
      },
    ])
  })

  it('returns the values of a nested object', () => {
    expect(resultParts({ note: { ownerEmail: 'ada@example.test' } })).toEqual([
      {
        kind: 'pairs',
        label: 'Note',
        pairs: [{ key: 'ownerEmail', label: 'Owner email', value: 'ada@example.test' }],
      },
    ])
  })

  it.each([
    ['a text', 'done', [{ kind: 'value', label: '', value: 'done' }]],
    ['nothing', null, [{ kind: 'value', label: '', value: null }]],
    ['plain values', ['a', 'b'], [{ kind: 'value', label: '', value: ['a', 'b'] }]],
    ['an empty object', {}, [{ kind: 'pairs', label: '', pairs: [] }]],
  ])('accepts %s', (_name, result, parts) => expect(resultParts(result)).toEqual(parts))
})

it('personIn recognizes people of answers, which are values', () => {
  const person = { id: 'p1', name: 'Ada', email: 'ada@example.test', image: null }
  expect([person, { ...person, id: null }].map(personIn)).toEqual([person, { ...person, id: null }])
  const others = [null, 'Ada', { ...person, role: 'owner' }, { ...person, name: null }, { ...person, image: 3 }]
  expect(others.map(personIn)).toEqual(others.map(() => undefined))
  expect(resultParts({ owner: person })).toEqual([
    { kind: 'pairs', label: '', pairs: [{ key: 'owner', label: 'Owner', value: person }] },
  ])
})

it('isTime recognizes timestamps, and isNothing recognizes empty values', () => {
  expect(['2026-11-22T18:30:00.000Z', '2026-11-22', 'x', 3].map(isTime)).toEqual([true, false, false, false])
  expect([null, undefined, '', [], 0, false].map(isNothing)).toEqual([true, true, true, true, false, false])
})
