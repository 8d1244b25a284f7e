import { describe, expect, it } from 'vitest'
import { accentOf, contrast, defaultAccent, SHADES } from '#fairway/server/kernel/config/brand'
import { defineFwConfig, type FwConfigInput } from '#fairway/server/kernel/config/fw-config'
import { loadConfig } from '#fairway/server/kernel/config/config'
import { readEnv } from '#fairway/server/kernel/config/env'
import { SECRET } from '../../../support/secrets'

const faultOf = (input: FwConfigInput): string => {
  try {
    defineFwConfig(input)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'accepted'
}

const accepted = (colour: string) => {
  const accent = accentOf(colour)
  if (typeof accent === 'string') throw new Error(accent)
  return accent
}

describe('brand.name', () => {
  it('accepts the same name from brand.name or name', () => {
    expect(defineFwConfig({ name: 'Larch' }).brand).toEqual(defineFwConfig({ brand: { name: 'Larch' } }).brand)
    expect(defineFwConfig({ name: 'Larch', brand: { name: ' Larch ' } }).brand.name).toBe('Larch')
    expect(defineFwConfig().brand).toEqual({ name: 'Fairway', logo: null, socialImage: null, accent: defaultAccent })
  })

  it('refuses two different names', () => {
    expect(faultOf({ name: 'Larch', brand: { name: 'Birch' } })).toBe(
      'defineFwConfig: name: name is “Larch” and brand.name is “Birch”: give one of them only',
    )
  })

  it('sets the default application id', () => {
    const config = loadConfig(
      readEnv({ BETTER_AUTH_SECRET: SECRET, NODE_ENV: 'test' }),
      defineFwConfig({ brand: { name: 'Larch' } }),
    )
    expect([config.name, config.identity.appId]).toEqual(['Larch', 'larch'])
  })
})

describe('brand.logo', () => {
  it('accepts one public image, or one for light and one for dark pages', () => {
    expect(defineFwConfig({ brand: { logo: '/logo.svg' } }).brand.logo).toEqual({
      light: '/logo.svg',
      dark: '/logo.svg',
    })
    const both = { light: '/brand/light.png', dark: '/brand/dark.png' }
    expect(defineFwConfig({ brand: { logo: both } }).brand.logo).toEqual(both)
  })

  it.each([
    'logo.svg',
    '/logo.jpg',
    '//evil.test/logo.svg',
    'https://evil.test/logo.svg',
    '/../logo.svg',
    '/a/../b.svg',
    '<svg/>',
  ])('refuses %j', logo => expect(faultOf({ brand: { logo } })).toMatch(/brand\.logo: /))
})

describe('brand.accent', () => {
  it.each([
    [
      '#facc15',
      /^defineFwConfig: brand\.accent: #facc15 has a contrast of 1\.53:1 to white, and text on it needs 4\.5:1; (#[\da-f]{6}) is/,
    ],
    ['#ef4444', /contrast of 3\.76:1/],
  ])('refuses %s with its contrast and suggests an accepted color', (accent, sentence) => {
    const fault = faultOf({ brand: { accent } })
    expect(fault).toMatch(sentence)
    const advice = /; (#[\da-f]{6}) is/.exec(fault)?.[1] ?? ''
    expect(faultOf({ brand: { accent: advice } })).toBe('accepted')
  })

  it.each([
    'bluish',
    'transparent',
    'black',
    'rgb(0 0 0)',
    '#12345',
    '#1d4ed880',
    'url(/x)',
    '',
    '#fff;}body{display:none',
  ])('refuses %j, which is not a color', accent =>
    expect(faultOf({ brand: { accent } })).toMatch(/is no colour: write it like #1d4ed8, or name one of .*blue/),
  )

  const colours = ['#1d4ed8', '#000', '#767676', '#7c3aed', '#b45309', '#be123c', '#0f766e', '#0000ff', '#c2410c']
  const palettes = [
    'slate',
    'red',
    'orange',
    'amber',
    'yellow',
    'lime',
    'green',
    'teal',
    'cyan',
    'sky',
    'blue',
    'violet',
    'pink',
  ]
  it.each([...colours, ...palettes])('creates shades of %s that are readable on light and dark pages', colour => {
    const accent = accepted(colour)
    expect(Object.keys(accent).map(Number)).toEqual([...SHADES])
    for (const shade of Object.values(accent)) expect(shade).toMatch(/^#[\da-f]{6}$/)
    // The surfaces of links and buttons on light and dark pages, including server pages on hover and on the dark accent.
    for (const surface of ['#ffffff', '#f8fafc', '#f1f5f9'])
      expect(contrast(accent[800], surface)).toBeGreaterThanOrEqual(4.5)
    for (const surface of ['#0f172a', '#1e293b', '#2a374b'])
      expect(contrast(accent[400], surface)).toBeGreaterThanOrEqual(4.5)
    expect(contrast(accent[900], '#ffffff')).toBeGreaterThan(contrast(accent[800], '#ffffff') - 0.001)
    for (const light of [accent[300], accent[400]]) expect(contrast(accent[950], light)).toBeGreaterThanOrEqual(4.5)
  })

  it('keeps a readable color unchanged', () => {
    expect(accepted('#1D4ED8')[800]).toBe('#1d4ed8')
    expect(accepted('#00f')[800]).toBe('#0000ff')
  })

  it('defaults to the platform’s green', () => {
    expect(defineFwConfig({ brand: { name: 'Larch' } }).brand.accent).toEqual(defaultAccent)
  })
})

describe('brand.socialImage', () => {
  it('accepts only a PNG or JPEG file in public/', () => {
    expect(defineFwConfig({ brand: { socialImage: '/card.jpg' } }).brand.socialImage).toBe('/card.jpg')
    for (const socialImage of ['card.png', '/card.svg', 'https://cdn.example.com/card.png', '/../card.png'])
      expect(() => defineFwConfig({ brand: { socialImage } })).toThrow(
        /brand\.socialImage: must be the path of a PNG or JPEG/,
      )
  })
})

/** A surface with a 15 % overlay of a color, as on hover. */
const tinted = (surface: string, colour: string): string => {
  const part = (hex: string, at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
  const mixed = [1, 3, 5].map(at => Math.round(part(surface, at) * 0.85 + part(colour, at) * 0.15))
  return `#${mixed.map(value => value.toString(16).padStart(2, '0')).join('')}`
}

it('the default accent is readable under a hover overlay on each light surface', () => {
  const { 800: green } = defaultAccent
  for (const surface of ['#ffffff', '#f8fafc', '#f1f5f9'])
    expect(contrast(tinted(surface, green), green)).toBeGreaterThanOrEqual(4.5)
})
