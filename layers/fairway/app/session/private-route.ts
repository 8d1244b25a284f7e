interface Route {
  matched: readonly { meta: { public?: unknown; embed?: unknown } }[]
}

/** Whether a route needs a session. A page is private unless its own meta says otherwise, as on the server (modules/pages). */
export function isPrivateRoute({ matched }: Route): boolean {
  const meta = matched.at(-1)?.meta
  return meta?.public !== true && meta?.embed !== true
}
