import { join } from 'node:path'
import { expect, it } from 'vitest'
import { favicon } from '#fairway/modules/brand/index'
import { defineFwConfig } from '#fairway/server/kernel/config/fw-config'
import { writeProject } from '../../support/author-project'

const { accent } = defineFwConfig({ brand: { accent: '#7c3aed' } }).brand

it('favicon shows the platform’s mark in the application’s accent for light and dark', () => {
  const icon = favicon(undefined, accent)
  expect(icon).toContain(
    `<style>svg{stroke:#7c3aed}@media(prefers-color-scheme:dark){svg{stroke:${accent[400]}}}</style><path`,
  )
  expect(icon).not.toContain('#166534')
})

it('favicon shows the logo when there is one', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>\n'
  const project = writeProject({ 'public/logo.svg': svg, 'public/logo.png': 'PNG' })
  try {
    expect(favicon(join(project.dir, 'public/logo.svg'), accent)).toBe(svg)
    expect(favicon(join(project.dir, 'public/logo.png'), accent)).toContain('href="data:image/png;base64,UE5H"')
  } finally {
    project.remove()
  }
})
