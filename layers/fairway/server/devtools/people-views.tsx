/** @jsxImportSource vue */
import type { Somebody } from '#fairway/server/domains/organizations'
import type { WrittenMail } from '#fairway/server/kernel/mail/mailer'
import { Chip, Empty, matches, pathOf } from './frame'

/** The form target that signs this browser in as a person. */
export const BECOME_PATH = pathOf('people', '/become')

/** Everyone with an account, each with a button that signs this browser in as them. */
export function peopleView(people: readonly Somebody[], search: string, ownId: string | undefined) {
  const matching = people.filter(({ email, name, organizations }) =>
    matches(search, email, name, ...organizations.map(({ name: organization }) => organization)),
  )
  if (matching.length === 0)
    return [
      <Empty
        text="Nobody has an account yet."
        hint="Open the application once: the development account is made on first use."
      />,
    ]
  return [
    <div class="list">
      {matching.map(person => (
        <PersonRow person={person} isOwn={person.userId === ownId} />
      ))}
    </div>,
  ]
}

const PersonRow = ({ person, isOwn }: { person: Somebody; isOwn: boolean }) => (
  <div class="row" id={`person-${person.userId}`}>
    <span class="wrap">
      {person.name} <span class="muted">{person.email}</span>
    </span>
    <span class="chips">
      {person.kind === 'dev' ? <Chip text="development account" /> : null}
      {person.emailVerified === 1 ? null : <Chip text="unconfirmed" tone="warn" />}
      {person.organizations.map(({ name, role }) => (
        <Chip text={`${role} in ${name}`} />
      ))}
    </span>
    {isOwn ? <Chip text="you" tone="good" /> : <Become userId={person.userId} text="Become" name={person.name} />}
  </div>
)

/** A form that signs this browser in as a person, with a separate session. */
export const Become = ({ userId, text, name }: { userId: string; text: string; name: string }) => (
  <form method="post" action={BECOME_PATH}>
    <input type="hidden" name="userId" value={userId} />
    <button aria-label={text === 'Become' ? `Become ${name}` : undefined}>{text}</button>
  </form>
)

/** The mails that were written instead of sent, with their links. */
export function mailsView(mails: readonly WrittenMail[], search: string, isSent: boolean) {
  const matching = mails.filter(({ to, subject, text }) => matches(search, to, subject, text))
  if (isSent)
    return [
      <Empty
        text="Mails are sent."
        hint="SMTP_URL and EMAIL_FROM are set, so they go to that server; without them they are kept here."
      />,
    ]
  if (matching.length === 0)
    return [<Empty text="No mails yet." hint="They are written to the data folder instead of being sent." />]
  return [
    <div class="list">
      {matching.map(mail => (
        <Mail mail={mail} />
      ))}
    </div>,
  ]
}

const Mail = ({ mail }: { mail: WrittenMail }) => (
  <details id={`mail-${mail.id}`}>
    <summary>
      <time datetime={mail.writtenAt.toISOString()}>{mail.writtenAt.toISOString().slice(0, 19).replace('T', ' ')}</time>
      <span class="grow">{mail.subject}</span>
      <span class="who">{mail.to}</span>
    </summary>
    <div class="inside">
      <p class="muted">{`To ${mail.to}`}</p>
      <div class="mail">
        {mail.text.split(/(https?:\/\/\S+)/).map(part =>
          /^https?:\/\//.test(part) ? (
            <a href={part} target="_blank">
              {part}
            </a>
          ) : (
            part
          ),
        )}
      </div>
    </div>
  </details>
)
