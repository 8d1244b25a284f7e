import { describe, expect, it } from 'vitest'
import { iconRule } from '#fairway/modules/icons'

describe('iconRule', () => {
  it('draws a single-color icon in the color of the text, for the class of Nuxt Icon', () => {
    const rule = iconRule('lucide:dot', { body: '<path fill="currentColor" d="M0 0"/>', width: 24, height: 24 })
    expect(rule).toBe(
      String.raw`.i-lucide\:dot{--icon:url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath fill='%23000' d='M0 0'/%3E%3C/svg%3E")}`,
    )
  })

  it('keeps the colors and proportions of other icons', () => {
    const rule = iconRule('flag:de', { body: '<path fill="#f00"/>', width: 36, height: 24 })
    expect(rule).toContain(`{mask:none;background:url("data:image/svg+xml,`)
    expect(rule).toContain(`fill='%23f00'`)
    expect(rule).toMatch(/;width:1.5em}$/)
  })
})
