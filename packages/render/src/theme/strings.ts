/** Words of the page chrome and of components. One table per language; a missing language falls back to English. */
export interface Strings {
  skip: string;
  menu: string;
  close: string;
  navigation: string;
  theme: string;
  onThisPage: string;
  previous: string;
  next: string;
  pagination: string;
  breadcrumbs: string;
  language: string;
  version: string;
  product: string;
  section: string;
  dismiss: string;
  viewMarkdown: string;
  copyPage: string;
  copyPath: string;
  copied: string;
  deprecated: string;
  notFound: string;
  notFoundHint: string;
  home: string;
  footer: string;
  banner: string;
  moreActions: string;
  copyPageAbout: string;
  viewMarkdownAbout: string;
  downloadPdf: string;
  downloadPdfAbout: string;
  downloadSpec: string;
  downloadSpecAbout: string;
  openIn: string;
  openInAbout: string;
  askPrompt: string;
  lastModified: string;
  feed: string;
  relatedTopics: string;
  // Feedback.
  feedbackQuestion: string;
  feedbackYes: string;
  feedbackNo: string;
  feedbackComment: string;
  feedbackSend: string;
  feedbackThanks: string;
  // Search.
  search: string;
  searchPrompt: string;
  searchClear: string;
  searchCount: string;
  searchLoading: string;
  searchHint: string;
  searchRecent: string;
  searchForget: string;
  searchStarts: string;
  searchNone: string;
  searchNoneHint: string;
  searchOutside: string;
  searchEverywhere: string;
  searchInstead: string;
  searchPartial: string;
  searchMore: string;
  searchFailed: string;
  searchFailedHint: string;
  searchRetry: string;
  searchAll: string;
  searchMove: string;
  searchOpen: string;
  searchNewTab: string;
  // Components.
  code: string;
  copyCode: string;
  showAllLines: string;
  showFewerLines: string;
  prompt: string;
  copyPrompt: string;
  showPrompt: string;
  show: string;
  hide: string;
  details: string;
  childAttributes: string;
  required: string;
  fieldDeprecated: string;
  fieldDefault: string;
  linkTo: string;
  panel: string;
  view: string;
  filterByTag: string;
  openInCursor: string;
  fileTree: string;
  clearFilters: string;
  noUpdates: string;
  variation: string;
  allowedValues: string;
  enlargeImage: string;
  copyImage: string;
  downloadImage: string;
  copyFailed: string;
  footnotes: string;
  taskDone: string;
  taskOpen: string;
  backToText: string;
  note: string;
  warning: string;
  info: string;
  tip: string;
  check: string;
  danger: string;
  // API reference.
  servers: string;
  authorizations: string;
  optionalAuthorization: string;
  apiKey: string;
  basicAuthorization: string;
  clientCertificate: string;
  scopes: string;
  pathParameters: string;
  queryParameters: string;
  headerParameters: string;
  cookieParameters: string;
  requestBody: string;
  optionalBody: string;
  response: string;
  expectedResponse: string;
  responseHeaders: string;
  callbacks: string;
  streamOf: string;
  readOnly: string;
  writeOnly: string;
  range: string;
  multipleOf: string;
  pattern: string;
  contentType: string;
  contentEncoding: string;
  uniqueItems: string;
  noOtherProperties: string;
  example: string;
  conflicts: string;
  onlyValue: string;
  otherProperties: string;
  notAllowed: string;
  oneOf: string;
  anyOf: string;
  sameAs: string;
  moreFields: string;
  notShown: string;
  // Channels of the API reference.
  addressParameters: string;
  unknownAddress: string;
  bindings: string;
  channel: string;
  messages: string;
  send: string;
  receive: string;
  clientSends: string;
  clientReceives: string;
  reply: string;
  clientSendsReply: string;
  clientReceivesReply: string;
  replyAddress: string;
  correlationId: string;
  payload: string;
  // Formulas and diagrams.
  formula: string;
  diagram: string;
  zoomIn: string;
  zoomOut: string;
  resetView: string;
  assistant: string;
  assistantAsk: string;
  assistantAbout: string;
  assistantSend: string;
  assistantStop: string;
  assistantRetry: string;
  assistantNew: string;
  assistantSources: string;
  assistantSearching: string;
  assistantGood: string;
  assistantBad: string;
  assistantSelected: string;
  assistantFailed: string;
  assistantContact: string;
}

const RTL = new Set(['ar', 'dv', 'fa', 'he', 'iw', 'ks', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi']);

/** Direction of writing of a BCP-47 tag. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  return RTL.has(language.toLowerCase().split('-')[0] ?? '') ? 'rtl' : 'ltr';
}

const NAMES: Readonly<Record<string, string>> = {
  ar: 'العربية',
  ca: 'Català',
  cn: '简体中文',
  cs: 'Čeština',
  da: 'Dansk',
  de: 'Deutsch',
  en: 'English',
  es: 'Español',
  fi: 'Suomi',
  fr: 'Français',
  'fr-ca': 'Français (Canada)',
  he: 'עברית',
  hi: 'हिन्दी',
  hu: 'Magyar',
  id: 'Bahasa Indonesia',
  it: 'Italiano',
  ja: '日本語',
  jp: '日本語',
  ko: '한국어',
  lv: 'Latviešu',
  nl: 'Nederlands',
  no: 'Norsk',
  pl: 'Polski',
  pt: 'Português',
  'pt-br': 'Português (Brasil)',
  ro: 'Română',
  ru: 'Русский',
  sv: 'Svenska',
  tr: 'Türkçe',
  uk: 'Українська',
  uz: 'Oʻzbekcha',
  vi: 'Tiếng Việt',
  zh: '简体中文',
  'zh-cn': '简体中文',
  'zh-hans': '简体中文',
  'zh-hant': '繁體中文',
  'zh-tw': '繁體中文',
};

/** A language's own name, or its code. */
export function languageName(code: string): string {
  const key = code.toLowerCase();
  return Object.hasOwn(NAMES, key) ? NAMES[key]! : code;
}

/** The BCP 47 tag of a language code of the format. */
export function languageTag(code: string): string {
  if (code === 'cn') return 'zh-CN';
  return code === 'jp' ? 'ja' : code;
}
