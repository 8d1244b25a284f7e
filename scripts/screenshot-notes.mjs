// The states of the notes in `npm run screenshots`.

const openNote = title => async page => {
  await page.getByRole('link', { name: title, exact: true }).click()
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
}

/** Changes the open note as the same person on another device. */
async function changeElsewhere(page) {
  const data = { id: page.url().split('/').at(-1), text: `Bread, butter and ${Date.now()} pears` }
  const origin = new URL(page.url()).origin
  const answer = await page.request.post('/_fw/actions/update-note', { data, headers: { origin } })
  if (!answer.ok()) throw new Error(await answer.text())
}

/** Each state with the steps that lead to it; the steps come from screenshots.mjs. */
export const notesStates = ({ button, text, steps, answer }) => [
  { name: 'notes-shared-empty', path: '/notes?whose=shared', reach: text('No notes match these filters') },
  {
    name: 'notes-selected',
    path: '/notes',
    reach: steps(
      page => page.getByRole('checkbox', { name: 'Select “Groceries”' }).click(),
      page => page.getByRole('checkbox', { name: 'Select “Reading list”' }).click(),
      text('2 selected'),
    ),
  },
  {
    name: 'notes-owner',
    path: '/notes',
    reach: steps(button('Owner'), page => page.getByRole('combobox', { name: 'Owner of the notes' }).click()),
  },
  { name: 'note-more', path: '/notes', reach: button('More actions for “Groceries”') },
  { name: 'note-new', path: '/notes/new', reach: page => page.getByRole('textbox', { name: 'Title' }).waitFor() },
  {
    name: 'note-untitled',
    path: '/notes/new',
    reach: steps(
      page => page.getByRole('textbox', { name: 'Text' }).fill('Half a thought'),
      page => page.getByRole('textbox', { name: 'Text' }).blur(),
      text('Enter a title.'),
    ),
    leave: page => page.getByRole('textbox', { name: 'Text' }).fill(''),
  },
  { name: 'note', path: '/notes', reach: openNote('Berths'), isWhole: true },
  { name: 'note-write', path: '/notes', reach: steps(openNote('Berths'), button('Write')), isWhole: true },
  {
    name: 'note-not-saved',
    path: '/notes',
    prepare: answer('**/_fw/actions/update-note', 503),
    reach: steps(
      openNote('Berths'),
      button('Write'),
      page => page.getByRole('textbox', { name: 'Text' }).fill('new'),
      text('Not saved'),
    ),
  },
  {
    name: 'note-conflict',
    path: '/notes',
    reach: steps(
      openNote('Groceries'),
      button('Write'),
      changeElsewhere,
      page => page.getByRole('textbox', { name: 'Text' }).fill('Bread alone'),
      text('Choose what to keep'),
    ),
  },
  {
    name: 'note-share',
    path: '/notes',
    reach: steps(openNote('Berths'), button('Share'), text('Not shared with anyone yet')),
  },
  { name: 'note-missing', path: '/notes/nowhere', reach: text('This note is not available') },
  {
    name: 'note-delete',
    path: '/notes',
    reach: steps(button('More actions for “Groceries”'), page =>
      page.getByRole('menuitem', { name: 'Delete' }).click(),
    ),
  },
]
