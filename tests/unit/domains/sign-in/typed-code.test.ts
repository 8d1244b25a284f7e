import { describe, expect, it } from 'vitest'
import { twoFactorInput } from '#fairway/server/domains/sign-in/two-factor/second-factor'
import { parseInput } from '#fairway/server/kernel/http/read-input'

describe('a typed code', () => {
  it.each([
    ['１２３４５６', '123456'],
    [' 123 456 ', '123456'],
    ['123\u2013456\u200e', '123456'],
    // Arabic-Indic, extended Arabic-Indic, Devanagari, and two scripts whose digits adjoin.
    ['٠١٢٣٤٥', '012345'],
    ['۶۷۸۹۰۱', '678901'],
    ['१२३-४५६', '123456'],
    ['\u{116d9}\u{116da}\u{116e3}', '909'],
    ['𝟘𝟙𝟚𝟛𝟡𝟿', '012399'],
    ['K3XQP\u20117mbza', 'k3xqp7mbza'],
    ['ｋ３ｘｑｐ－７ｍｂｚａ', 'k3xqp7mbza'],
  ])('%j is read as %s', (typed, code) => {
    expect(parseInput(twoFactorInput.code, { code: typed })).toEqual({ code })
  })

  it.each(['', ' - ', '\u200b'])('is required: %j', typed => {
    expect(() => parseInput(twoFactorInput.code, { code: typed })).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ path: 'code', code: 'required' })] }),
    )
  })
})
