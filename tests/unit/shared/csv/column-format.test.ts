import { describe, expect, it } from 'vitest'
import { type ColumnKind, formatsOf, inferFormat, readValue } from '#fairway/shared/csv/column-format'

/** The format of a column, then its values in it. */
function read(kind: ColumnKind, ...texts: string[]) {
  const format = inferFormat(kind, texts)
  return [format, ...(format === undefined ? [] : texts.map(text => readValue(kind, format, text)))]
}
/** A time on this computer, as it is stored. */
const local = (...parts: [number, number, number, number?, number?, number?]) => new Date(...parts).toISOString()

describe('numbers', () => {
  it.each([
    [
      ['12,50', '14,50'],
      ['1.234,56', '12.50', '14.50'],
    ],
    [
      ['12.50', '1,234.56'],
      ['1,234.56', '12.50', '1234.56'],
    ],
    [
      ['1.234,56', '2.500', '-3'],
      ['1.234,56', '1234.56', '2500', '-3'],
    ],
    [
      ['1.234.567', '1.234'],
      ['1.234,56', '1234567', '1234'],
    ],
    [
      ['1 234,5', '1\u{A0}234\u{202F}567'],
      ['1.234,56', '1234.5', undefined],
    ],
    [
      [`1'234.50`, '1’234'],
      ['1,234.56', '1234.50', '1234'],
    ],
    [
      ['5', '+7', '−3', '1e3'],
      ['1,234.56', '5', '7', '-3', '1e3'],
    ],
    [
      ['1,23E+05', ' 2,5 '],
      ['1.234,56', '1.23E+05', '2.5'],
    ],
    [
      ['12.50', 'many', '1,5,0', '12 EUR', '1.2.3', '12,3456.1', ''],
      ['1,234.56', '12.50', undefined, undefined, undefined, undefined, undefined, undefined],
    ],
  ])('reads %j in one format', (texts, expected) => {
    expect(read('number', ...texts)).toEqual(expected)
  })

  it.each([[['1.234', '2.500']], [['1,234']], [['12,50', '12.50']]])('leaves %j undecided', texts => {
    expect(read('number', ...texts)).toEqual([undefined])
  })
})

describe('booleans', () => {
  it.each([
    [
      ['TRUE', 'FALSE', 'true'],
      ['true / false', 'true', 'false', 'true'],
    ],
    [
      ['yes', 'No'],
      ['yes / no', 'true', 'false'],
    ],
    [
      ['ja', 'nein', 'JA'],
      ['ja / nein', 'true', 'false', 'true'],
    ],
    [
      ['WAHR', 'FALSCH'],
      ['wahr / falsch', 'true', 'false'],
    ],
    [
      ['1', '0'],
      ['1 / 0', 'true', 'false'],
    ],
    [
      ['n', 'n'],
      ['y / n', 'false', 'false'],
    ],
    [
      ['J', 'n'],
      ['j / n', 'true', 'false'],
    ],
    [
      ['ja', 'nein', 'yes', 'maybe'],
      ['ja / nein', 'true', 'false', undefined, undefined],
    ],
  ])('reads %j in one format', (texts, expected) => {
    expect(read('boolean', ...texts)).toEqual(expected)
  })
})

describe('dates', () => {
  it.each([
    [
      ['2026-12-24', '2026-1-5'],
      ['2026-12-31', '2026-12-24', '2026-01-05'],
    ],
    [
      ['24.12.2026', '1.2.2026'],
      ['31.12.2026', '2026-12-24', '2026-02-01'],
    ],
    [
      ['24/12/2026', '01/02/2026'],
      ['31/12/2026', '2026-12-24', '2026-02-01'],
    ],
    [
      ['12/24/2026', '01/02/2026'],
      ['12/31/2026', '2026-12-24', '2026-01-02'],
    ],
    [
      ['2026-12-24 00:00:00', '2026-12-24T00:00:00.000'],
      ['2026-12-31', '2026-12-24', '2026-12-24'],
    ],
    [
      ['24.12.2026', '31.02.2026', '29.02.2028', '24.13.2026', '24.12.26', '24.12.2026 18:30', 'soon'],
      ['31.12.2026', '2026-12-24', undefined, '2028-02-29', undefined, undefined, undefined, undefined],
    ],
  ])('reads %j in one format', (texts, expected) => {
    expect(read('date', ...texts)).toEqual(expected)
  })

  it('leaves a column undecided whose days are all 12 or less, unless both ways give the same dates', () => {
    expect(read('date', '01/02/2026', '03/04/2026')).toEqual([undefined])
    expect(read('datetime', '01-02-2026 10:00')).toEqual([undefined])
    expect(read('date', '05/05/2026', '')).toEqual(['31/12/2026', '2026-05-05', undefined])
  })

  it('takes the first format for a column without values', () => {
    expect(formatsOf('date')[0]).toBe(inferFormat('date', ['', ' ']))
  })
})

describe('times', () => {
  it.each([
    [
      ['24.12.2026 18:30', '24.12.2026, 07:05:09', '1.2.2026'],
      ['31.12.2026', local(2026, 11, 24, 18, 30), local(2026, 11, 24, 7, 5, 9), local(2026, 1, 1)],
    ],
    [
      ['12/24/2026 6:30 PM', '12/24/2026 12:00 am', '12/24/2026 12:15 pm'],
      ['12/31/2026', local(2026, 11, 24, 18, 30), local(2026, 11, 24, 0, 0), local(2026, 11, 24, 12, 15)],
    ],
    [
      ['2026-12-24T18:30:00.123Z', '2026-12-24 18:30+0100', '2026-12-24T18:30:00-05:00'],
      ['2026-12-31', '2026-12-24T18:30:00.123Z', '2026-12-24T17:30:00.000Z', '2026-12-24T23:30:00.000Z'],
    ],
    [
      ['24.12.2026 18:30', '24.12.2026 24:00', '24.12.2026 18:60', '24.12.2026 13:00 PM', '31.11.2026 10:00'],
      ['31.12.2026', local(2026, 11, 24, 18, 30), undefined, undefined, undefined, undefined],
    ],
  ])('reads %j in one format', (texts, expected) => {
    expect(read('datetime', ...texts)).toEqual(expected)
  })
})
