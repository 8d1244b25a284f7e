import { z } from 'zod'

const MOST_CHARACTERS = 300
const MOST_VALUES = 20
// Letters that turn, hide or break the line would let a value look like something else.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

export interface ShownValue {
  name: string
  text: string
  /** How many characters are not shown. */
  left: number
}

/** The values of a stored input as people may see them: one line each, cut, nothing invisible; with the number of those left out. */
export function shownInput(json: string): { values: ShownValue[]; left: number } {
  const entries = Object.entries(z.record(z.string(), z.unknown()).parse(JSON.parse(json)))
  const values = entries.slice(0, MOST_VALUES).map(([name, value]) => {
    const text = visible(typeof value === 'string' ? value : JSON.stringify(value))
    return { name: visible(name).slice(0, 100), text: text.slice(0, MOST_CHARACTERS), left: leftOf(text) }
  })
  return { values, left: entries.length - values.length }
}

const visible = (text: string): string => text.replaceAll(INVISIBLE, ' ')
const leftOf = ({ length }: string): number => Math.max(0, length - MOST_CHARACTERS)
