/** Words of the page chrome. One table per language; a missing language falls back to English. */
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
  copied: string;
  deprecated: string;
  toggle: string;
  notFound: string;
  notFoundHint: string;
  home: string;
  footer: string;
}

const EN: Strings = {
  skip: 'Skip to content',
  menu: 'Menu',
  close: 'Close',
  navigation: 'Pages',
  theme: 'Switch between light and dark',
  onThisPage: 'On this page',
  previous: 'Previous',
  next: 'Next',
  pagination: 'Previous and next page',
  breadcrumbs: 'Breadcrumbs',
  language: 'Language',
  version: 'Version',
  product: 'Product',
  section: 'Section',
  dismiss: 'Dismiss',
  viewMarkdown: 'View as Markdown',
  copyPage: 'Copy page',
  copied: 'Copied',
  deprecated: 'Deprecated',
  toggle: 'Show or hide',
  notFound: 'Page not found',
  notFoundHint: 'The address may be mistyped, or the page may have moved.',
  home: 'Go to the home page',
  footer: 'Footer',
};

const TABLES: Readonly<Record<string, Partial<Strings>>> = {
  en: EN,
  es: {
    skip: 'Ir al contenido',
    menu: 'Menú',
    close: 'Cerrar',
    navigation: 'Páginas',
    theme: 'Cambiar entre claro y oscuro',
    onThisPage: 'En esta página',
    previous: 'Anterior',
    next: 'Siguiente',
    pagination: 'Página anterior y siguiente',
    breadcrumbs: 'Ruta de navegación',
    language: 'Idioma',
    version: 'Versión',
    product: 'Producto',
    section: 'Sección',
    dismiss: 'Descartar',
    viewMarkdown: 'Ver como Markdown',
    copyPage: 'Copiar página',
    copied: 'Copiado',
    deprecated: 'Obsoleto',
    toggle: 'Mostrar u ocultar',
    notFound: 'Página no encontrada',
    notFoundHint: 'La dirección puede estar mal escrita o la página puede haberse movido.',
    home: 'Ir a la página de inicio',
    footer: 'Pie de página',
  },
  fr: {
    skip: 'Aller au contenu',
    menu: 'Menu',
    close: 'Fermer',
    navigation: 'Pages',
    theme: 'Basculer entre clair et sombre',
    onThisPage: 'Sur cette page',
    previous: 'Précédent',
    next: 'Suivant',
    pagination: 'Page précédente et suivante',
    breadcrumbs: 'Fil d’Ariane',
    language: 'Langue',
    version: 'Version',
    product: 'Produit',
    section: 'Section',
    dismiss: 'Masquer',
    viewMarkdown: 'Voir en Markdown',
    copyPage: 'Copier la page',
    copied: 'Copié',
    deprecated: 'Obsolète',
    toggle: 'Afficher ou masquer',
    notFound: 'Page introuvable',
    notFoundHint: 'L’adresse est peut-être erronée, ou la page a été déplacée.',
    home: 'Aller à la page d’accueil',
    footer: 'Pied de page',
  },
  de: {
    skip: 'Zum Inhalt springen',
    menu: 'Menü',
    close: 'Schließen',
    navigation: 'Seiten',
    theme: 'Zwischen hell und dunkel wechseln',
    onThisPage: 'Auf dieser Seite',
    previous: 'Zurück',
    next: 'Weiter',
    pagination: 'Vorige und nächste Seite',
    breadcrumbs: 'Brotkrumen',
    language: 'Sprache',
    version: 'Version',
    product: 'Produkt',
    section: 'Bereich',
    dismiss: 'Ausblenden',
    viewMarkdown: 'Als Markdown ansehen',
    copyPage: 'Seite kopieren',
    copied: 'Kopiert',
    deprecated: 'Veraltet',
    toggle: 'Ein- oder ausblenden',
    notFound: 'Seite nicht gefunden',
    notFoundHint: 'Die Adresse ist vielleicht falsch geschrieben, oder die Seite ist umgezogen.',
    home: 'Zur Startseite',
    footer: 'Fußzeile',
  },
  pt: {
    skip: 'Ir para o conteúdo',
    menu: 'Menu',
    close: 'Fechar',
    navigation: 'Páginas',
    theme: 'Alternar entre claro e escuro',
    onThisPage: 'Nesta página',
    previous: 'Anterior',
    next: 'Próxima',
    pagination: 'Página anterior e próxima',
    breadcrumbs: 'Trilha de navegação',
    language: 'Idioma',
    version: 'Versão',
    product: 'Produto',
    section: 'Seção',
    dismiss: 'Dispensar',
    viewMarkdown: 'Ver como Markdown',
    copyPage: 'Copiar página',
    copied: 'Copiado',
    deprecated: 'Obsoleto',
    toggle: 'Mostrar ou ocultar',
    notFound: 'Página não encontrada',
    notFoundHint: 'O endereço pode estar errado ou a página pode ter mudado de lugar.',
    home: 'Ir para a página inicial',
    footer: 'Rodapé',
  },
  zh: {
    skip: '跳到正文',
    menu: '菜单',
    close: '关闭',
    navigation: '页面',
    theme: '切换浅色与深色',
    onThisPage: '本页内容',
    previous: '上一页',
    next: '下一页',
    pagination: '上一页与下一页',
    breadcrumbs: '面包屑导航',
    language: '语言',
    version: '版本',
    product: '产品',
    section: '栏目',
    dismiss: '关闭提示',
    viewMarkdown: '查看 Markdown',
    copyPage: '复制页面',
    copied: '已复制',
    deprecated: '已弃用',
    toggle: '展开或收起',
    notFound: '页面不存在',
    notFoundHint: '地址可能有误,或者页面已被移动。',
    home: '返回首页',
    footer: '页脚',
  },
  ja: {
    skip: '本文へ移動',
    menu: 'メニュー',
    close: '閉じる',
    navigation: 'ページ',
    theme: 'ライトとダークを切り替える',
    onThisPage: 'このページの内容',
    previous: '前へ',
    next: '次へ',
    pagination: '前後のページ',
    breadcrumbs: 'パンくずリスト',
    language: '言語',
    version: 'バージョン',
    product: '製品',
    section: 'セクション',
    dismiss: '閉じる',
    viewMarkdown: 'Markdown で表示',
    copyPage: 'ページをコピー',
    copied: 'コピーしました',
    deprecated: '非推奨',
    toggle: '開閉する',
    notFound: 'ページが見つかりません',
    notFoundHint: 'アドレスが間違っているか、ページが移動した可能性があります。',
    home: 'ホームへ',
    footer: 'フッター',
  },
};

/** The words for a BCP-47 tag, by its primary subtag. */
export function stringsFor(language: string): Strings {
  const primary = language.toLowerCase().split('-')[0] ?? 'en';
  const table = Object.hasOwn(TABLES, primary) ? TABLES[primary] : undefined;
  return table === undefined || table === EN ? EN : { ...EN, ...table };
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

/** Codes of the format that are no BCP-47 tags of that language. */
export function languageTag(code: string): string {
  if (code === 'cn') return 'zh-CN';
  return code === 'jp' ? 'ja' : code;
}
