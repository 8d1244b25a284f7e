/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import { cardPage, oneClickScript } from '#fairway/server/kernel/server-page/note-page'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { claimPathFor } from '#fairway/shared/sign-in-path'
import { fill, type Messages, messagesOf, offered } from '#fairway/server/kernel/messages'
import { formatTime, type Language } from '#fairway/shared/languages'
import type { ClaimContents, ClaimEntry } from './claim-contents'

interface ClaimPageState {
  email: string
  contents: ClaimContents
  returnPath: string
  language: Language
}

/** The page for claiming an account: lists what would be removed or kept, then offers the choice. Works without JavaScript. */
export function claimPage(app: App, state: ClaimPageState): Promise<ServerPage> {
  const { email, contents, returnPath, language } = state
  const texts = messagesOf(language).claim
  const children = [
    <Sections title={texts.opens} entries={contents.opens} language={language} />,
    <Sections
      title={texts.holds}
      entries={{ ...contents.holds, memberships: contents.memberships }}
      language={language}
    />,
    <Organizations contents={contents} language={language} />,
    // A form without an action posts to the page's own address, which keeps the return path in the query.
    <form method="post">
      <h2>{texts.allMineTitle}</h2>
      <p id="all-mine">{texts.allMineText}</p>
      <button name="decision" value="all-mine" class="quiet" aria-describedby="all-mine">
        {texts.allMine}
      </button>
      <h2>{texts.onlyMeTitle}</h2>
      <p id="only-me" class="banner">
        {texts.onlyMeText}
      </p>
      <button name="decision" value="only-me" class="quiet" aria-describedby="only-me">
        {texts.onlyMe}
      </button>
    </form>,
    <p class="foot">
      <a href={returnPath}>{texts.later}</a>
      <br />
      {texts.laterText}
    </p>,
    <OtherLanguages returnPath={returnPath} language={language} />,
  ]
  return cardPage(app, {
    page: 'claim',
    title: texts.title,
    lead: fill(texts.lead, { email }),
    children,
    script: oneClickScript,
    language,
  })
}

type SectionName = keyof Messages['claim']['sections']

interface SectionsProps {
  title: string
  entries: Partial<Record<SectionName, ClaimEntry[]>>
  language: Language
}

function Sections({ title, entries, language }: SectionsProps) {
  const texts = messagesOf(language).claim
  const sections = (Object.keys(texts.sections) as SectionName[]).filter(name => (entries[name] ?? []).length > 0)
  if (sections.length === 0) return null
  return (
    <section>
      <h2>{title}</h2>
      <dl>
        {sections.flatMap(name => [
          <dt>{texts.sections[name]}</dt>,
          ...(entries[name] ?? []).map(entry => <Entry name={name} entry={entry} language={language} />),
        ])}
      </dl>
    </section>
  )
}

function Entry({ name, entry, language }: { name: SectionName; entry: ClaimEntry; language: Language }) {
  const texts = messagesOf(language).claim
  const text = name === 'password' ? texts.set : name === 'secondFactor' ? texts.active : entry.text
  const fate = !entry.isKept ? texts.goes : name === 'sessions' ? texts.thisSession : texts.stays
  return (
    <dd>
      <strong>{text}</strong>
      {entry.at === null ? null : ` ${fill(texts.since, { day: dayOf(entry.at, language) })}`}
      {` · ${fate}`}
    </dd>
  )
}

function Organizations({ contents, language }: { contents: ClaimContents; language: Language }) {
  const texts = messagesOf(language).claim
  if (contents.organizations.length === 0) return null
  return (
    <section>
      <h2>{texts.organizations}</h2>
      <dl>
        {contents.organizations.flatMap(({ name, members }) => [
          <dt>{name}</dt>,
          members.length === 0 ? <dd>{texts.alone}</dd> : null,
          ...members.map(entry => <Entry name="memberships" entry={entry} language={language} />),
        ])}
      </dl>
    </section>
  )
}

/** Links to the page in each language, by the language's own name. */
const OtherLanguages = ({ returnPath, language }: { returnPath: string; language: Language }) => (
  <p class="languages">
    {offered.languages.map(({ code, name, direction }) =>
      code === language ? (
        <span lang={code} dir={direction}>
          {name}
        </span>
      ) : (
        <a href={`${claimPathFor(returnPath)}&lang=${code}`} lang={code} hreflang={code} dir={direction}>
          {name}
        </a>
      ),
    )}
  </p>
)

const dayOf = (at: number, language: Language): string => formatTime(at, language, 'day', 'UTC')
