// The terms of service: the versions that a person has accepted, with times.
import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { PersonRow } from './person'

/** Whether a person has not accepted the current terms. The local identities never have to. */
export const isTermsDue = (
  { legal }: Pick<Config, 'legal'>,
  { kind, termsVersion }: Pick<PersonRow, 'kind' | 'termsVersion'>,
): boolean => legal.terms !== undefined && kind === 'person' && termsVersion !== legal.terms.version

/** Throws `terms-due` when the form of a new account does not accept the current terms. */
export function checkTermsTicked({ config: { legal } }: App, version: string | undefined): void {
  if (legal.terms && version !== legal.terms.version) throw new AppError('terms-due')
}

/** Records that a person accepts this version of the terms. Only the first acceptance of a version is stored. */
export async function acceptTerms(app: App, userId: string, version: string): Promise<void> {
  await app.db.client.batch(
    [
      {
        sql: `insert into fw_terms_acceptances (user_id, version, accepted_at)
          select id, ?, ? from users where id = ? on conflict do nothing`,
        args: [version, app.now().getTime(), userId],
      },
      { sql: 'update users set terms_version = ? where id = ?', args: [version, userId] },
    ],
    'write',
  )
}

/** Records that a person accepted the terms in the sign-up form, if it showed the current version. */
export async function acceptShownTerms(app: App, userId: string, version: string | undefined): Promise<void> {
  if (version !== undefined && version === app.config.legal.terms?.version) await acceptTerms(app, userId, version)
}

/** Whether the owner of this address must accept terms for the first time. Also true when there is no account yet. */
export async function owesFirstTerms(app: App, email: string): Promise<boolean> {
  if (!app.config.legal.terms) return false
  const sql = `select 1 from users where email = ? and (kind <> 'person' or terms_version is not null)`
  return (await app.db.client.execute({ sql, args: [email] })).rows.length === 0
}
