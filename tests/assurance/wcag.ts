import { absent, byHand, designed, type Requirement, tested } from './requirement'

const AXE = 'e2e/accessibility › ${title} have no accessibility violation'
const KEYBOARD = 'e2e/keyboard › a person signs in, creates a note, archives it and signs out with the keyboard alone'
const BRAND =
  'e2e/author-brand › an accent color is readable on pages of the application and server, in light and dark mode'
const NARROW = 'e2e/narrow › no page is wider than a 320 px screen, or than the window at 200 %'
const NO_MEDIA = 'There is no sound and no moving picture.'

/** The level A criteria of the Web Content Accessibility Guidelines 2.2, by number. */
export const levelA: readonly Requirement[] = [
  tested('1.1.1', 'Pictures and icons have a text, or are left out for those who do not see them.', [AXE]),
  absent('1.2.1', 'Sound or picture alone has an alternative.', NO_MEDIA),
  absent('1.2.2', 'Films have captions.', NO_MEDIA),
  absent('1.2.3', 'Films have a description or an alternative.', NO_MEDIA),
  tested('1.3.1', 'Headings, lists, tables, labels and groups are marked as such.', [AXE]),
  tested('1.3.2', 'Read in order, the page has its sense.', [KEYBOARD]),
  byHand(
    '1.3.3',
    'Nothing is explained by shape, place or sound alone.',
    'All texts of the catalogs were read for it.',
  ),
  tested(
    '1.4.1',
    'No information depends on colour alone.',
    [AXE],
    'beside links in text, looked at by hand: every badge, notice and outcome has a word or an icon with a name.',
  ),
  absent('1.4.2', 'Sound that starts automatically can be stopped.', NO_MEDIA),
  tested('2.1.1', 'Everything works by keyboard.', [
    KEYBOARD,
    'e2e/palette › the command palette opens a page with the keyboard alone',
    'e2e/team › inviting works with the keyboard alone',
    'e2e/mail-sign-in › an emailed link signs in the waiting tab, with the keyboard alone',
  ]),
  tested('2.1.2', 'The focus is never caught.', [KEYBOARD]),
  byHand(
    '2.1.4',
    'Shortcuts of one key can be switched off.',
    'They never act in a field, and Settings, Appearance, has the switch.',
  ),
  byHand(
    '2.2.1',
    'Time limits can be extended.',
    'A session is renewed while it is used. Typed text is kept when it ends, and mailed links and codes can be requested again.',
  ),
  absent('2.2.2', 'What moves can be stopped.', 'Nothing moves for more than five seconds but signs of progress.'),
  designed('2.3.1', 'Nothing flashes three times a second.', 'The only motion is a fade of 120 to 180 ms.'),
  tested('2.4.1', 'What is on every page can be skipped.', [KEYBOARD]),
  tested('2.4.2', 'Pages have a title.', [AXE]),
  tested('2.4.3', 'The focus moves in an order that makes sense.', [KEYBOARD]),
  tested('2.4.4', 'Links say where they lead.', [AXE]),
  absent('2.5.1', 'Gestures of several fingers have a simple way.', 'There are none.'),
  designed('2.5.2', 'A click can be taken back before the button is let go.', 'Buttons are the browser’s own.'),
  tested('2.5.3', 'What is read aloud holds what is written.', [AXE]),
  absent('2.5.4', 'What is done by moving a device has another way.', 'Nothing is.'),
  tested('3.1.1', 'Pages declare their language.', [
    AXE,
    'e2e/settings › the theme, the folded sidebar and the language are kept on this device, the language in a cookie that contains only it',
  ]),
  byHand('3.2.1', 'Focus alone changes nothing.', 'Menus fetch their code on focus and open on a click.'),
  byHand(
    '3.2.2',
    'Typing alone changes nothing that is not said.',
    'Searches change the list below them and nothing else; notes say that they save themselves.',
  ),
  designed('3.2.6', 'Help is always in the same place.', 'The account menu is in the same place on every page.'),
  tested('3.3.1', 'Errors are named, at their field.', [
    'components/palette › the command palette runs an action, marks invalid fields, and shows the result and the equivalent API and CLI calls',
    'components/settings › a refused password shows the reason at the field',
  ]),
  tested('3.3.2', 'Fields have labels, and say what they want.', [AXE]),
  designed(
    '3.3.7',
    'Nothing must be entered twice in one process.',
    'What was typed is kept after a refusal, after a reload, and when the session ends meanwhile.',
  ),
  tested('4.1.2', 'Every control has a name, a role and a state.', [AXE]),
]

/** The level AA criteria. */
export const levelAA: readonly Requirement[] = [
  absent('1.2.4', 'Live sound has captions.', NO_MEDIA),
  absent('1.2.5', 'Films have a description.', NO_MEDIA),
  designed('1.3.4', 'Pages work upright and across.', 'Nothing depends on the orientation of the screen.'),
  tested('1.3.5', 'Fields about the person say so to the browser.', [AXE]),
  tested('1.4.3', 'Text has a contrast of 4.5 : 1, in both colours.', [AXE, BRAND]),
  tested('1.4.4', 'Text can be twice as large.', [NARROW, AXE]),
  tested(
    '1.4.5',
    'Text is text and no picture.',
    [BRAND],
    'but for the logo of an application, as the criterion allows.',
  ),
  tested('1.4.10', 'At 320 pixels nothing scrolls sideways.', [NARROW]),
  tested(
    '1.4.11',
    'Edges of fields and signs have a contrast of 3 : 1.',
    [BRAND],
    'the edges of fields were measured by hand: 3.1 : 1 and more in light, 3.8 : 1 in dark.',
  ),
  byHand(
    '1.4.12',
    'Text may be set wider.',
    'Seen with one and a half times the line height and wide letters: no box has a fixed height around text.',
  ),
  byHand(
    '1.4.13',
    'What appears on hover can be reached and sent away.',
    'Exact times and names are `title` attributes of the browser; menus and pickers close with Escape.',
  ),
  designed(
    '2.4.5',
    'There is more than one way to a page.',
    'Navigation, palette, links on pages, and the list of what waits on Home.',
  ),
  tested('2.4.6', 'Headings and labels describe.', [AXE], 'that they do was read by hand.'),
  tested('2.4.7', 'The focus is seen.', [KEYBOARD], 'the ring was looked at by hand in both colours.'),
  byHand(
    '2.4.11',
    'What has the focus is not hidden.',
    'The head of narrow screens and toasts leave room: `scroll-padding`.',
  ),
  absent('2.5.7', 'What is dragged has another way.', 'A picture can be dropped or chosen; nothing else is dragged.'),
  designed('2.5.8', 'Targets have 24 pixels.', 'Buttons have 32 pixels, 40 on touch (app/assets/main.css).'),
  tested(
    '3.1.2',
    'Parts in another language say so.',
    [AXE],
    'names of languages appear in that language, with `lang`.',
  ),
  designed('3.2.3', 'Navigation is the same everywhere.', 'One frame shows it.'),
  designed('3.2.4', 'The same thing has the same name.', 'One catalog of texts per language.'),
  tested('3.3.3', 'Errors say how to fix them.', [
    'components/settings › a refused password shows the reason at the field',
    'components/team › the invitation dialog shows each address once, counts valid ones and explains why one was not invited',
  ]),
  tested('3.3.4', 'Irreversible actions require a confirmation.', [
    'e2e/organizations › an organization is deleted after its name is typed and can be restored',
    'components/tools › tools accept a row by its name or a typed id and confirm before deleting it',
  ]),
  tested('3.3.8', 'Signing in needs no memory.', [
    'e2e/mail-sign-in › an emailed link signs in the waiting tab, with the keyboard alone',
    'e2e/passkeys › adding a passkey requires a recent sign-in, rejects a duplicate device, and the email field offers the passkey',
  ]),
  tested('4.1.3', 'Changes are announced without moving the focus.', [
    'components/failures › every section reports that it could not be loaded and retries',
    'e2e/session-gate › the session gate shows the layout’s skeleton until the session is known, then the page',
  ]),
]
