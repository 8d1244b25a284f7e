import { LOCAL_DATA_MARK } from '#fairway/shared/local-data-mark'

/** A page that says to everybody alike that local data may be moved on this server; only then its script asks whether there is any. */
export const withLocalDataMark = (html: string): string =>
  html.replace('</head>', `<meta name="${LOCAL_DATA_MARK}" content="offered"></head>`)
