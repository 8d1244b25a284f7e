import { germanMails } from './mail-texts-de'
import { englishMails } from './mail-texts-en'

/** The platform's own texts. Mails that answer a page speak its language; the others have no page to ask. */
export const mailCatalogs = { en: englishMails, de: germanMails }
