import { ICON_LIBRARIES } from '../icon.ts';
import { defineKey, ignoredKey, type ValueOf, type ValuesOf } from '../key.ts';
import { type Section, warnAt } from '../section.ts';
import {
  color,
  file,
  flag,
  link,
  number,
  object,
  oneOf,
  shortened,
  text,
  textOf,
  texts,
  themed,
} from '../types.ts';

const faceKeys = {
  family: defineKey('Name of the font', text, { example: 'Inter' }),
  weight: defineKey('Weight of the text', number(1, 1000, 'number from 1 to 1000'), {
    otherwise: 'all weights of the font',
  }),
  source: defineKey(
    'File of the font',
    textOf(
      'path or `https` URL',
      'a path or an https URL',
      (value) => !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(value) || /^https:\/\//i.test(value),
      'unsafe-link',
    ),
    { example: '/fonts/inter.woff2' },
  ),
  format: defineKey('Format of the file', oneOf('woff', 'woff2')),
};

function faceOf({ family, ...face }: ValuesOf<typeof faceKeys>, section: Section) {
  if (family !== null) return { family: family.slice(0, 200), ...face };
  if (['weight', 'source', 'format'].some((key) => section.value[key] !== undefined)) {
    const message = `"${section.name}" needs "family"; the default font is used.`;
    warnAt(section, undefined, 'config-value', message);
  }
  return null;
}

/** Shiki's themes with a light background whose name does not show it. */
const LIGHT_THEMES: ReadonlySet<string> = new Set([
  ...['catppuccin-latte', 'kanagawa-lotus', 'rose-pine-dawn', 'slack-ochin'],
]);

/** The background of code: that of the page with a theme for each appearance, else always light or always dark. */
function modeOf(light: string, dark: string): 'system' | 'light' | 'dark' {
  if (light === 'css-variables' || dark === 'css-variables') return 'system';
  const isLight = (name: string): boolean => LIGHT_THEMES.has(name) || /light/i.test(name);
  if (isLight(light) && isLight(dark)) return 'light';
  return isLight(light) || isLight(dark) ? 'system' : 'dark';
}

const codeKeys = {
  theme: defineKey(
    '`system` (that of the page), `dark`, or a theme of Shiki: [Code](/write/code#colors)',
    themed(text, 'Theme'),
    { otherwise: '`system`', example: 'github-light' },
  ),
  languages: defineKey(
    'Languages of the site',
    object({
      custom: defineKey('TextMate grammars in the docs folder', texts, {
        partial: 'a language of the site is not highlighted; a warning reports it',
        finish(grammars, section, key) {
          const message =
            '"styling.codeblocks.languages.custom" has no effect: code in custom languages is shown without colors.';
          if (grammars.length > 0) warnAt(section, key, 'config-no-effect', message);
          return grammars;
        },
      }),
    }),
  ),
};

/** Keys for the look of the site. */
export const lookKeys = {
  theme: defineKey(
    'Layout of the site: [Themes](/write/themes)',
    oneOf('mint', 'maple', 'palm', 'willow', 'linden', 'almond', 'aspen', 'sequoia', 'luma'),
    { default: 'mint' },
  ),
  name: defineKey('Name of the site', text, {
    example: 'Acme',
    finish(name, section, key) {
      if (name !== null) return name;
      warnAt(section, key, 'config-value', '"name" is missing; the site is named "Documentation".');
      return 'Documentation';
    },
  }),
  description: defineKey('Description of the site, for search engines and `llms.txt`', text),
  colors: defineKey(
    'Colors of the site',
    object(
      {
        primary: defineKey('Color of links and selected entries', color, { default: '#16a34a' }),
        light: defineKey('The same on dark pages', color, { otherwise: '`colors.primary`' }),
        dark: defineKey('Color of buttons and of the banner', color, { otherwise: '`colors.primary`' }),
      },
      ({ primary, light, dark }) => ({ primary, light: light ?? primary, dark: dark ?? primary }),
    ),
  ),
  logo: defineKey(
    'Image in the navbar',
    shortened(
      'light',
      {
        light: defineKey('Logo on light pages', file, { otherwise: '`logo.dark`' }),
        dark: defineKey('Logo on dark pages', file, { otherwise: '`logo.light`' }),
        href: defineKey('Target of the logo', link, { otherwise: 'the home page' }),
      },
      ({ light, dark, href }) => {
        const first = light ?? dark;
        return first === null ? null : { light: first, dark: dark ?? first, href };
      },
    ),
    { otherwise: 'the name of the site', example: { light: '/logo/light.svg', dark: '/logo/dark.svg' } },
  ),
  favicon: defineKey('Icon of the site in browsers', themed(file, 'Icon'), { example: '/favicon.svg' }),
  appearance: defineKey(
    'Light and dark pages',
    object({
      default: defineKey(
        'Appearance until a reader selects another one; `system` is that of the operating system',
        oneOf('system', 'light', 'dark'),
        { default: 'system' },
      ),
      strict: defineKey('Readers cannot select another appearance', flag, { default: false }),
    }),
  ),
  fonts: defineKey(
    'Font of the site',
    object(
      {
        ...faceKeys,
        heading: defineKey('Font of headings', object(faceKeys, faceOf), { otherwise: '`fonts`' }),
        body: defineKey('Font of other text', object(faceKeys, faceOf), { otherwise: '`fonts`' }),
      },
      ({ heading, body, ...face }, section) => {
        const all = faceOf(face, section);
        return { heading: heading ?? all, body: body ?? all };
      },
    ),
    { otherwise: 'Inter' },
  ),
  icons: defineKey(
    'Icons of the site',
    object({
      library: defineKey('Library of icons that are written as a name', oneOf(...ICON_LIBRARIES), {
        default: 'fontawesome',
      }),
    }),
  ),
  background: defineKey(
    'Background of pages',
    object({
      decoration: defineKey('Decoration', oneOf('gradient', 'grid', 'windows'), { otherwise: 'none' }),
      color: defineKey(
        'Color',
        object({
          light: defineKey('Color of light pages', color, { otherwise: 'that of the theme' }),
          dark: defineKey('Color of dark pages', color, { otherwise: 'that of the theme' }),
        }),
      ),
      image: defineKey('Image behind the content', themed(file, 'Image')),
    }),
  ),
  styling: defineKey(
    'Details of the look',
    object({
      eyebrows: defineKey(
        'Line above the title: the group of the page, or the path to it',
        oneOf('section', 'breadcrumbs'),
        { otherwise: 'that of the theme' },
      ),
      latex: defineKey('`false` shows dollar signs as text: [Math](/write/math)', flag, {
        otherwise: 'formulas are detected',
      }),
      codeblocks: defineKey(
        'Colors of code: [Code](/write/code#colors)',
        shortened('theme', codeKeys, ({ theme, languages }) => {
          const { light, dark } = theme ?? { light: 'system', dark: 'system' };
          const grammars: readonly string[] = languages.custom;
          const isNamed = light !== dark || (light !== 'system' && light !== 'dark');
          if (isNamed) return { mode: modeOf(light, dark), themes: { light, dark }, grammars };
          return { mode: light === 'dark' ? ('dark' as const) : ('system' as const), themes: null, grammars };
        }),
      ),
      css: ignoredKey('every .css file in the docs folder is loaded', 'styling.css'),
    }),
  ),
  thumbnails: defineKey(
    'Preview images; with one of these keys each page has its own: [SEO](/write/seo)',
    object(
      {
        appearance: defineKey('Appearance of the images', oneOf('light', 'dark'), {
          otherwise: 'that of the site',
        }),
        background: defineKey('Image of the docs folder behind the text', text),
        fonts: defineKey(
          'Fonts of the images',
          object({
            family: defineKey('Name of the font', text, { partial: 'preview images use the font Inter' }),
          }),
          {
            finish({ family }, section, key) {
              const message = '"thumbnails.fonts" has no effect: preview images use the font Inter.';
              if (family !== null) warnAt(section, key, 'config-no-effect', message);
              return family;
            },
          },
        ),
      },
      ({ fonts: font, ...look }) => ({ ...look, font }),
    ),
  ),
};

export type FontFace = NonNullable<ReturnType<typeof faceOf>>;
export type CodeBlocks = ValueOf<typeof lookKeys.styling>['codeblocks'];
