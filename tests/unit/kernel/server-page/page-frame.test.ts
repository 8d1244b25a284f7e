import { createHash } from 'node:crypto'
import { h } from 'vue'
import { describe, expect, it } from 'vitest'
import { definePageFrame, type PageFrames } from '#fairway/server/kernel/server-page/page-frame'
import { renderPage } from '#fairway/server/kernel/server-page/render-page'
import { defineFwConfig, type FwConfigInput } from '#fairway/server/kernel/config/fw-config'

const appWith = (frames: PageFrames, declared: FwConfigInput = {}) => ({
  config: { brand: defineFwConfig(declared).brand },
  frames,
})
const input = { page: 'sign-in', title: 'Sign in', language: 'de', body: h('p', 'the form') } as const
const around = (before: string, style = '') =>
  definePageFrame(
    ({ page, language, brand, mark, content }) =>
      h('div', [`${before} ${page} ${language} ${brand.name}`, mark, content]),
    { style },
  )

describe('renderPage', () => {
  it('shows the mark and the name when the application has no frame', async () => {
    const { html } = await renderPage(appWith({}, { name: 'Larch' }), input)
    expect(html).toMatch(/<main>(<!--.*?-->)*<p class="brand"><svg.*<\/svg>Larch<\/p><p>the form<\/p>/)
    expect(html).toContain('<title>Sign in · Larch</title>')
  })

  it('uses the frame of the page, or else the frame for all pages', async () => {
    const frames = { frame: around('all'), 'check-mail': around('mail') }
    const one = await renderPage(appWith(frames, { name: 'Larch' }), input)
    const other = await renderPage(appWith(frames, { name: 'Larch' }), { ...input, page: 'check-mail' })
    expect(one.html).toContain('all sign-in de Larch')
    expect(other.html).toContain('mail check-mail de Larch')
    expect(other.html).not.toContain('all ')
  })

  it('renders no frame inside another site but keeps the accent', async () => {
    const app = appWith({ frame: around('all') }, { brand: { name: 'Larch', accent: '#7c3aed' } })
    const { html } = await renderPage(app, { ...input, page: null })
    expect(html).not.toMatch(/Larch|all /)
    expect(html).toContain('--ui-primary:#7c3aed')
  })

  it('allows the style of the frame by its hash, and none of its scripts', async () => {
    const frame = around('<script>alert(1)</script>', 'footer{color:red}')
    const { html, policy } = await renderPage(appWith({ frame }), input)
    const sheet = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? ''
    expect(sheet).toMatch(/footer\{color:red\}$/)
    expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(sheet).digest('base64')}'`)
    expect(policy).toContain(`script-src 'none'`)
    expect(html).not.toContain('<script>alert')
  })

  it.each([
    ['leaves it out', definePageFrame(() => h('p', 'nothing else')), 0],
    ['shows it twice', definePageFrame(({ content }) => h('div', [content, content])), 2],
  ])('refuses to render the content when the frame %s', async (_fault, frame, times) => {
    await expect(renderPage(appWith({ frame }), input)).rejects.toThrow(
      `the frame of the page sign-in must show its content once, and shows it ${times} times`,
    )
  })

  it('shows the logo that fits the color scheme of the page', async () => {
    const both = { brand: { logo: { light: '/a.svg', dark: '/b.png' } } }
    const { html } = await renderPage(appWith({}, both), input)
    expect(html).toContain(
      '<picture><source media="(prefers-color-scheme:dark)" srcset="/b.png"><img src="/a.svg" alt></picture>',
    )
    const one = await renderPage(appWith({}, { brand: { logo: '/a.svg' } }), input)
    expect(one.html).not.toContain('srcset')
  })
})

it('definePageFrame refuses a style that closes the style element', () => {
  expect(() => definePageFrame(({ content }) => content, { style: 'p{}</STYLE><script>' })).toThrow(/must not end/)
})
