import { afterAll, expect, it } from 'vitest'
import { checkFrames } from '#fairway/modules/page-frames/index'
import { DeclarationError } from '#fairway/modules/registry/load-declarations'
import { defineFwConfig } from '#fairway/server/kernel/config/fw-config'
import { type AuthorProject, writeProject } from '../../support/author-project'

const projects: AuthorProject[] = []
afterAll(() => projects.forEach(project => project.remove()))

const frame = (markup: string): string =>
  `/** @jsxImportSource vue */\nimport { definePageFrame } from '#fw'\nexport default definePageFrame(({ mark, content }) => <>${markup}</>)\n`

async function faultsOf(files: Record<string, string>): Promise<string[]> {
  const project = writeProject(files)
  projects.push(project)
  try {
    return await checkFrames(project.dir, defineFwConfig().brand)
  } catch (error) {
    if (error instanceof DeclarationError) return error.faults
    throw error
  }
}

it('checkFrames accepts a frame for all pages or for a single page, and refuses unknown names', async () => {
  const good = frame('{mark}{content}')
  expect(await faultsOf({ 'server/pages/frame.tsx': good, 'server/pages/consent.tsx': good })).toEqual([
    'consent',
    'frame',
  ])
  expect(await faultsOf({})).toEqual([])
  const [fault] = await faultsOf({ 'server/pages/frame.tsx': good, 'server/pages/login.tsx': good })
  expect(fault).toMatch(/^server\/pages\/login\.tsx: no page has this name; the names are frame, sign-in, .*error$/)
})

it.each([
  [
    '{mark}',
    /^server\/pages\/frame\.tsx: the frame of the page sign-in must show its content once, and shows it 0 times$/,
  ],
  ['{content}<script>alert(1)</script>', /: <script is blocked by the page's content security policy/],
  ['<p style="color:red">{content}</p>', /: style= is blocked by .*; give rules as definePageFrame\(…, \{ style \}\)$/],
  ['<p onclick="go()">{content}</p>', /: onclick= is blocked/],
  ['{content}{nowhere}', /nowhere is not defined/],
])('checkFrames refuses a frame with %s, and names its file and the fix', async (markup, fault) => {
  const faults = await faultsOf({ 'server/pages/frame.tsx': frame(markup) })
  expect(faults).toEqual([expect.stringMatching(fault)])
})

it('checkFrames refuses a file that declares something else', async () => {
  expect(await faultsOf({ 'server/pages/frame.tsx': 'export default () => null\n' })).toEqual([
    'server/pages/frame.tsx: the default export is not made by definePageFrame',
  ])
})
