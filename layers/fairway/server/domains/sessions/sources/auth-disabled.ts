import { eq } from 'drizzle-orm'
import { users } from '#fairway/server/domains/people'
import { findOrgContext } from '#fairway/server/domains/organizations'
import { newId } from '#fairway/server/kernel/crypto/random'
import { hasOptedOut } from '../fixed-identity'
import type { SessionSource } from '../session-source'

/** The fixed identity of `AUTH_DISABLED`; it comes last, so a real session wins, and a browser that signed out stays so. */
export const authDisabled: SessionSource = {
  name: 'auth-disabled',
  isUsed: config => config.authDisabled !== undefined,
  async find(event, app) {
    const email = app.config.authDisabled?.email
    if (!email || hasOptedOut(event.node.req.headers.cookie, app.config)) return null
    const now = app.now()
    await app.db.orm
      .insert(users)
      .values({ id: newId(), name: 'Dev', email, emailVerified: true, kind: 'dev', createdAt: now, updatedAt: now })
      .onConflictDoNothing()
    const [user] = await app.db.orm.select().from(users).where(eq(users.email, email))
    if (!user) return null
    const provider = 'auth-disabled'
    return {
      userId: user.id,
      email: user.email,
      emailVerified: user.emailVerified,
      name: user.name,
      image: user.image,
      ...(await findOrgContext(app, { userId: user.id, email: user.email, name: user.name, provider })),
      provider,
      createdAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + 24 * 60 * 60 * 1000).toISOString(),
    }
  },
}
