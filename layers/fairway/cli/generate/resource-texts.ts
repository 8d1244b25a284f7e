// The texts of a resource in the languages that the generator knows. The nouns of the author are kept as they were written.
import type { Resource } from './resource'
import { shownInList } from './resource-list'
import { toSentence, withArticle } from './names'

type Texts = { [key: string]: string | Texts }

/** The words of one language around an author's nouns. */
interface Frame {
  texts(nouns: { one: string; many: string; a: string; isOrg: boolean }): Texts
  fields: Readonly<Record<string, string>>
  yes: string
  no: string
  sentences: Readonly<Record<'create' | 'update' | 'delete', string>>
  thing(nouns: { one: string; many: string; a: string }): string
}

const en: Frame = {
  texts: ({ one, many, a, isOrg }) => ({
    lead: isOrg
      ? `Everyone in your organization reads and edits the ${many}.`
      : `Your ${many}, and the ones other people share with you.`,
    new: `New ${one}`,
    newText: isOrg ? 'Everyone in your organization will see it.' : 'Only you will see it.',
    create: `Create ${one}`,
    notCreated: `The ${one} could not be created.`,
    search: `Search ${many}`,
    back: `All ${many}`,
    loading: `Loading the ${many}`,
    failed: `The ${many} could not be loaded.`,
    empty: { title: `No ${many} yet`, text: `Create the first one.` },
    noMatch: {
      title: `No ${many} found`,
      text: 'Try other words, or clear the search.',
      button: 'Clear the search',
    },
    loadingOne: `Loading the ${one}`,
    failedOne: `The ${one} could not be loaded.`,
    forbidden: `You may not see this ${one}.`,
    missing: {
      title: `This ${one} is not available`,
      text: 'It may have been deleted, or it belongs to somebody else.',
    },
    save: 'Save',
    saved: 'Saved.',
    notSaved: `The ${one} could not be saved.`,
    delete: 'Delete',
    deleteTitle: 'Delete “{title}”?',
    deleteText: 'This cannot be undone.',
    deleteButton: `Delete ${one}`,
    notDeleted: `The ${one} could not be deleted.`,
    readOnly: `You can read this ${a.replace(/^an? /, '')}, and not change it.`,
  }),
  fields: { updatedAt: 'Changed' },
  yes: 'Yes',
  no: 'No',
  sentences: {
    create: '{person} created {thing}',
    update: '{person} changed {thing}',
    delete: '{person} deleted {thing}',
  },
  thing: ({ a }) => a,
}

const de: Frame = {
  texts: ({ one, many, isOrg }) => ({
    lead: isOrg
      ? `${many}: Alle in Ihrer Organisation können sie lesen und bearbeiten.`
      : `${many}: Ihre eigenen und die, die andere mit Ihnen teilen.`,
    new: `${one} anlegen`,
    newText: isOrg ? 'Alle in Ihrer Organisation können den Eintrag sehen.' : 'Nur Sie können den Eintrag sehen.',
    create: 'Anlegen',
    notCreated: 'Der Eintrag konnte nicht angelegt werden.',
    search: `${many} durchsuchen`,
    back: `Alle ${many}`,
    loading: `${many} werden geladen`,
    failed: `${many} konnten nicht geladen werden.`,
    empty: { title: `Noch keine ${many}`, text: 'Legen Sie den ersten Eintrag an.' },
    noMatch: {
      title: `Keine ${many} gefunden`,
      text: 'Versuchen Sie andere Wörter, oder leeren Sie die Suche.',
      button: 'Suche leeren',
    },
    loadingOne: 'Der Eintrag wird geladen',
    failedOne: 'Der Eintrag konnte nicht geladen werden.',
    forbidden: 'Sie dürfen diesen Eintrag nicht sehen.',
    missing: {
      title: 'Dieser Eintrag ist nicht verfügbar',
      text: 'Er wurde vielleicht gelöscht, oder er gehört jemand anderem.',
    },
    save: 'Speichern',
    saved: 'Gespeichert.',
    notSaved: 'Der Eintrag konnte nicht gespeichert werden.',
    delete: 'Löschen',
    deleteTitle: '„{title}“ löschen?',
    deleteText: 'Das kann nicht rückgängig gemacht werden.',
    deleteButton: 'Endgültig löschen',
    notDeleted: 'Der Eintrag konnte nicht gelöscht werden.',
    readOnly: 'Sie können diesen Eintrag lesen, aber nicht ändern.',
  }),
  fields: {
    title: 'Titel',
    name: 'Name',
    description: 'Beschreibung',
    text: 'Text',
    status: 'Status',
    notes: 'Notizen',
    updatedAt: 'Geändert',
  },
  yes: 'Ja',
  no: 'Nein',
  sentences: {
    create: '{person} hat {thing} angelegt',
    update: '{person} hat {thing} geändert',
    delete: '{person} hat {thing} gelöscht',
  },
  thing: ({ many }) => `einen Eintrag unter ${many}`,
}

const ar: Frame = {
  texts: ({ one, many, isOrg }) => ({
    lead: isOrg ? `${many}: يمكن لكل من في مؤسستك قراءتها وتعديلها.` : `${many}: ما يخصك وما يشاركه الآخرون معك.`,
    new: `إنشاء ${one}`,
    newText: isOrg ? 'سيراه كل من في مؤسستك.' : 'ستراه أنت وحدك.',
    create: 'إنشاء',
    notCreated: 'تعذر إنشاء العنصر.',
    search: `البحث في ${many}`,
    back: `كل ${many}`,
    loading: `جارٍ تحميل ${many}`,
    failed: `تعذر تحميل ${many}.`,
    empty: { title: `لا توجد ${many} بعد`, text: 'أنشئ العنصر الأول.' },
    noMatch: {
      title: `لم يُعثر على ${many}`,
      text: 'جرّب كلمات أخرى أو امسح البحث.',
      button: 'مسح البحث',
    },
    loadingOne: 'جارٍ تحميل العنصر',
    failedOne: 'تعذر تحميل العنصر.',
    forbidden: 'لا يُسمح لك برؤية هذا العنصر.',
    missing: { title: 'هذا العنصر غير متاح', text: 'ربما حُذف، أو أنه يخص شخصًا آخر.' },
    save: 'حفظ',
    saved: 'تم الحفظ.',
    notSaved: 'تعذر حفظ العنصر.',
    delete: 'حذف',
    deleteTitle: 'هل تريد حذف «{title}»؟',
    deleteText: 'لا يمكن التراجع عن ذلك.',
    deleteButton: 'حذف نهائي',
    notDeleted: 'تعذر حذف العنصر.',
    readOnly: 'يمكنك قراءة هذا العنصر، لكن لا يمكنك تغييره.',
  }),
  fields: {
    title: 'العنوان',
    name: 'الاسم',
    description: 'الوصف',
    text: 'النص',
    status: 'الحالة',
    notes: 'ملاحظات',
    updatedAt: 'آخر تغيير',
  },
  yes: 'نعم',
  no: 'لا',
  sentences: {
    create: 'أنشأ {person} {thing}',
    update: 'غيّر {person} {thing}',
    delete: 'حذف {person} {thing}',
  },
  thing: ({ many }) => `عنصرًا في ${many}`,
}

const FRAMES: Readonly<Record<string, Frame>> = { en, de, ar }

/** The languages that the generator has words for. */
export const KNOWN_LANGUAGES: readonly string[] = Object.keys(FRAMES)

/** The catalog of a resource in one of these languages. */
export function textFile(resource: Resource, language: string): string {
  const { noun, nouns, fields, variable, kebab, table, isOrg } = resource
  const frame = FRAMES[language] ?? en
  // Nouns keep their small letters inside of a sentence in English alone.
  const isEnglish = frame === en
  const [one, many] = isEnglish ? [noun, nouns] : [toSentence(noun), toSentence(nouns)]
  const names = [...fields.map(({ name }) => name), 'updatedAt']
  const enums = fields.filter(({ type }) => type === 'enum')
  const truths = shownInList(resource).some(({ type }) => type === 'boolean') ? { yes: frame.yes, no: frame.no } : {}
  const nounsInText = { one, many, a: withArticle(noun), isOrg }
  return toJson({
    [variable]: {
      name: toSentence(nouns),
      ...frame.texts(nounsInText),
      ...truths,
      fields: Object.fromEntries(names.map(name => [name, frame.fields[name] ?? toSentence(name)])),
      ...(enums.length > 0 && {
        values: Object.fromEntries(
          enums.map(({ name, values }) => [name, Object.fromEntries(values.map(value => [value, toSentence(value)]))]),
        ),
      }),
    },
    auditActions: Object.fromEntries(
      Object.entries(frame.sentences).map(([verb, sentence]) => [`${verb}-${kebab}`, sentence]),
    ),
    auditThings: { [table]: frame.thing(nounsInText) },
  })
}

const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
