import { defineMcpApp } from '#fw'
import { notesPage } from './_notes-page'

export default defineMcpApp({
  title: 'Notes',
  description: 'Your notes as a list that can be turned page by page.',
  tools: ['list-notes'],
  html: notesPage,
})
