import { createMemoryHistory, createRouter, type RouteRecordRaw } from 'vue-router'
import { expect, it } from 'vitest'
import { isPrivateRoute } from '#fairway/app/session/private-route'

const page = (path: string, meta: RouteRecordRaw['meta'], children: RouteRecordRaw[] = []): RouteRecordRaw => ({
  path,
  meta,
  component: {},
  children,
})
const router = createRouter({
  history: createMemoryHistory(),
  routes: [
    page('/plain', {}),
    page('/about', { public: true }, [page('inside', {})]),
    page('/widget', { embed: true }),
    page('/notes', {}, [page('shared', { public: true })]),
  ],
})

it.each([
  ['/plain', true],
  ['/about', false],
  ['/widget', false],
  ['/about/inside', true],
  ['/notes/shared', false],
])('a page is private unless it says otherwise for itself: %s', (path, isPrivate) => {
  expect(isPrivateRoute(router.resolve(path))).toBe(isPrivate)
})
