import { isObject, type JsonObject } from './json.ts';
import { upgradeMintNavigation } from './mint-navigation.ts';
import { copyPlace } from './place.ts';
import { type Section, warnAt } from './section.ts';

const DROPPED: ReadonlySet<string> = new Set([
  'feedback',
  'rounded',
  'sidebar',
  'topbar',
  'isWhiteLabeled',
  'layout',
  'primaryTab',
  'topAnchor',
  'tabs',
  'anchors',
  'versions',
]);
/** Keys that carry over under the same name, with the same shape or with one that the readers accept. */
const SAME: ReadonlySet<string> = new Set([
  '$schema',
  'name',
  'description',
  'logo',
  'favicon',
  'redirects',
  'integrations',
  'errors',
  'banner',
  'variables',
]);
const THEMES: Readonly<Record<string, string>> = { venus: 'palm', quill: 'willow', prism: 'mint' };
const LAYOUTS: Readonly<Record<string, string>> = { sidenav: 'maple', solidSidenav: 'willow' };
const PLAYGROUNDS: Readonly<Record<string, string>> = { show: 'interactive', simple: 'simple', hide: 'none' };

/** Brings mint.json to the form of docs.json. Keys that are unknown to both stay, so that they get a warning. */
export function upgradeMint(root: Section): JsonObject {
  const mint = root.value;
  warnAt(root, undefined, 'mint-json', 'mint.json is deprecated. Move the configuration to docs.json.');
  const docs: JsonObject = {};
  for (const [key, value] of Object.entries(mint)) {
    const upgrade = Object.hasOwn(UPGRADES, key) ? UPGRADES[key] : undefined;
    if (upgrade !== undefined) merge(docs, upgrade(value, mint));
    else if (SAME.has(key)) merge(docs, { [key]: value });
    else if (!DROPPED.has(key)) docs[key] = value;
  }
  docs.theme = themeOf(mint);
  const navigation = upgradeMintNavigation(mint);
  if (navigation !== null) docs.navigation = navigation;
  return copyPlace(mint, docs);
}

type Upgrade = (value: unknown, mint: JsonObject) => JsonObject;

const UPGRADES: Readonly<Record<string, Upgrade>> = {
  theme: () => ({}),
  navigation: () => ({}),
  colors: upgradeColors,
  topbarLinks: (value) => ({ navbar: { links: mapList(value, upgradeLink) } }),
  topbarCtaButton: (value) => (isObject(value) ? { navbar: { primary: upgradeButton(value) } } : {}),
  modeToggle: (value) =>
    isObject(value) ? { appearance: defined({ default: value.default, strict: value.isHidden }) } : {},
  codeBlock: (value) => (isObject(value) ? { styling: defined({ codeblocks: codeTheme(value.mode) }) } : {}),
  eyebrow: (value) => (isObject(value) ? { styling: defined({ eyebrows: value.display }) } : {}),
  font: upgradeFont,
  background: upgradeBackground,
  backgroundImage: (value) => ({ background: { image: value } }),
  api: upgradeApi,
  openapi: (value) => ({ api: { openapi: value } }),
  metadata: (value) => ({ seo: { metatags: value } }),
  seo: (value) => (isObject(value) && value.indexHiddenPages === true ? { seo: { indexing: 'all' } } : {}),
  analytics: (value) => (isObject(value) ? { integrations: value } : {}),
  integrations: upgradeIntegrations,
  footerSocials: (value) => ({ footer: { socials: value } }),
  footer: upgradeFooter,
  search: (value) => (isObject(value) ? { search: copyPlace(value, defined({ prompt: value.prompt })) } : {}),
};

function themeOf(mint: JsonObject): string {
  if (typeof mint.layout === 'string' && Object.hasOwn(LAYOUTS, mint.layout))
    return LAYOUTS[mint.layout] ?? 'mint';
  if (typeof mint.theme !== 'string') return 'mint';
  return Object.hasOwn(THEMES, mint.theme) ? (THEMES[mint.theme] ?? 'mint') : mint.theme;
}

function upgradeColors(value: unknown): JsonObject {
  if (!isObject(value)) return { colors: value };
  const { background, anchors: _dropped, ultraLight: _light, ultraDark: _dark, ...colors } = value;
  const docs: JsonObject = { colors: copyPlace(value, colors) };
  if (isObject(background)) docs.background = { color: background };
  return docs;
}

const upgradeLink = (link: JsonObject): JsonObject =>
  copyPlace(
    link,
    defined({
      label: link.name ?? link.label,
      href: link.url ?? link.href,
      type: link.type,
      icon: link.icon,
    }),
  );

const upgradeButton = (button: JsonObject): JsonObject =>
  copyPlace(button, { ...upgradeLink(button), type: button.type === 'github' ? 'github' : 'button' });

const codeTheme = (mode: unknown): unknown => (mode === 'auto' || mode === 'light' ? 'system' : mode);

function upgradeFont(value: unknown): JsonObject {
  if (!isObject(value)) return { fonts: value };
  const face = (font: JsonObject): JsonObject =>
    copyPlace(
      font,
      defined({ family: font.family, weight: font.weight, source: font.url, format: font.format }),
    );
  const { headings, body } = value;
  return {
    fonts: {
      ...face(value),
      ...(isObject(headings) ? { heading: face(headings) } : {}),
      ...(isObject(body) ? { body: face(body) } : {}),
    },
  };
}

function upgradeBackground(value: unknown): JsonObject {
  if (!isObject(value)) return {};
  return { background: defined({ decoration: value.style, color: value.color, image: value.image }) };
}

function upgradeApi(value: unknown, mint: JsonObject): JsonObject {
  if (!isObject(value)) return { api: value };
  const request = isObject(value.request) ? value.request : {};
  const example = isObject(request.example) ? request.example : {};
  const fields = isObject(value.paramFields) ? value.paramFields : {};
  const api: JsonObject = defined({
    mdx: defined({ server: value.baseUrl, auth: value.auth }),
    playground: upgradePlayground(value.playground),
    examples: example.languages === undefined ? undefined : { languages: example.languages },
    params: fields.expanded === undefined ? undefined : { expanded: fields.expanded },
    openapi: mint.openapi === undefined ? value.openapi : undefined,
  });
  return { api: copyPlace(value, api) };
}

function upgradePlayground(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const display =
    typeof value.mode === 'string' && Object.hasOwn(PLAYGROUNDS, value.mode)
      ? PLAYGROUNDS[value.mode]
      : undefined;
  const proxy = typeof value.disableProxy === 'boolean' ? !value.disableProxy : undefined;
  return defined({ display, proxy });
}

function upgradeIntegrations(value: unknown): JsonObject {
  if (!isObject(value)) return { integrations: value };
  const integrations: JsonObject = { ...value };
  if (typeof value.intercom === 'string') integrations.intercom = { appId: value.intercom };
  if (typeof value.frontchat === 'string') integrations.frontchat = { snippetId: value.frontchat };
  return { integrations };
}

function upgradeFooter(value: unknown): JsonObject {
  if (!isObject(value)) return { footer: value };
  const column = (written: JsonObject): JsonObject =>
    copyPlace(written, defined({ header: written.title, items: mapList(written.links, upgradeLink) }));
  const links = mapList(value.links, column);
  return { footer: defined({ socials: value.socials, links }) };
}

/** Objects of a list, changed; anything else stays as it is, for the reader's warning. */
function mapList(value: unknown, change: (item: JsonObject) => JsonObject): unknown {
  if (!Array.isArray(value)) return value;
  return copyPlace(
    value,
    value.map((item: unknown) => (isObject(item) ? change(item) : item)),
  );
}

function defined(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

/** Puts keys into an object; objects on both sides become one, two levels deep. */
function merge(target: JsonObject, added: JsonObject): void {
  for (const [key, value] of Object.entries(added)) {
    const present = target[key];
    target[key] = isObject(present) && isObject(value) ? { ...present, ...value } : value;
  }
}
