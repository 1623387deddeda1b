import type { Background, CodeBlocks, FontFace, SiteConfig, ThemedPath } from '../site.ts';
import { readThemedPath } from './chrome.ts';
import { isObject } from './json.ts';
import {
  checkMembers,
  choice,
  color,
  memberName,
  type Section,
  subsection,
  text,
  texts,
  warnAt,
} from './section.ts';

const FACE = ['family', 'weight', 'source', 'format'];

/** `fonts`: one face for all text, and others for headings or the body. */
export function readFonts(root: Section): SiteConfig['fonts'] {
  const fonts = subsection(root, 'fonts');
  checkMembers(fonts, [...FACE, 'heading', 'body']);
  const all = readFace(fonts);
  const own = (key: string): FontFace | null => {
    const section = subsection(fonts, key);
    checkMembers(section, FACE);
    return readFace(section);
  };
  return { heading: own('heading') ?? all, body: own('body') ?? all };
}

function readFace(section: Section): FontFace | null {
  const family = text(section, 'family');
  if (family === null) {
    if (['weight', 'source', 'format'].some((key) => section.value[key] !== undefined))
      warnAt(
        section,
        undefined,
        'config-value',
        `"${section.name}" needs "family"; the default font is used.`,
      );
    return null;
  }
  return {
    family: family.slice(0, 200),
    weight: readWeight(section),
    source: readSource(section),
    format: choice(section, 'format', ['woff', 'woff2']),
  };
}

function readWeight(section: Section): number | null {
  const written = text(section, 'weight');
  if (written === null) return null;
  const weight = Number(written);
  if (Number.isFinite(weight) && weight >= 1 && weight <= 1000) return weight;
  const message = `"${memberName(section, 'weight')}" must be a number from 1 to 1000; it was ignored.`;
  warnAt(section, 'weight', 'config-value', message);
  return null;
}

/** A path in the source, or an https URL. */
function readSource(section: Section): string | null {
  const source = text(section, 'source');
  if (source === null || !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(source) || /^https:\/\//i.test(source))
    return source;
  const message = `"${memberName(section, 'source')}" must be a path or an https URL; it was ignored.`;
  warnAt(section, 'source', 'unsafe-link', message);
  return null;
}

/** `background`: decoration, colors and image of the page. */
export function readBackground(root: Section): Background {
  const background = subsection(root, 'background');
  checkMembers(background, ['decoration', 'color', 'image']);
  const colors = subsection(background, 'color');
  checkMembers(colors, ['light', 'dark']);
  return {
    decoration: choice(background, 'decoration', ['gradient', 'grid', 'windows']),
    color: { light: color(colors, 'light'), dark: color(colors, 'dark') },
    image: readThemedPath(background, 'image'),
  };
}

/** `styling.codeblocks`: `system`, `dark`, a Shiki theme, or an object with `theme` and `languages`. */
export function readCodeBlocks(styling: Section): CodeBlocks {
  if (!isObject(styling.value.codeblocks)) {
    const name = text(styling, 'codeblocks');
    if (name === null || name === 'system') return { mode: 'system', themes: null, grammars: [] };
    if (name === 'dark') return { mode: 'dark', themes: null, grammars: [] };
    const themes = { light: name, dark: name };
    return { mode: modeOf(themes), themes, grammars: [] };
  }
  const section = subsection(styling, 'codeblocks');
  checkMembers(section, ['theme', 'languages']);
  const languages = subsection(section, 'languages');
  checkMembers(languages, ['custom']);
  const grammars = texts(languages, 'custom');
  if (grammars.length > 0) {
    const message =
      '"styling.codeblocks.languages.custom" has no effect: code in custom languages is shown without colors.';
    warnAt(languages, 'custom', 'config-no-effect', message);
  }
  const themes = readThemes(section);
  return { mode: themes === null ? 'system' : modeOf(themes), themes, grammars };
}

/** Shiki's themes with a light background whose name does not show it. */
const LIGHT_THEMES: ReadonlySet<string> = new Set([
  ...['catppuccin-latte', 'kanagawa-lotus', 'rose-pine-dawn', 'slack-ochin'],
]);

/** The background of code: that of the page with a theme for each appearance, else always light or always dark. */
function modeOf({ light, dark }: ThemedPath): CodeBlocks['mode'] {
  if (light === 'css-variables' || dark === 'css-variables') return 'system';
  const isLight = (name: string): boolean => LIGHT_THEMES.has(name) || /light/i.test(name);
  if (isLight(light) && isLight(dark)) return 'light';
  return isLight(light) || isLight(dark) ? 'system' : 'dark';
}

function readThemes(section: Section): ThemedPath | null {
  if (!isObject(section.value.theme)) {
    const name = text(section, 'theme');
    return name === null ? null : { light: name, dark: name };
  }
  const theme = subsection(section, 'theme');
  checkMembers(theme, ['light', 'dark']);
  const light = text(theme, 'light') ?? text(theme, 'dark');
  return light === null ? null : { light, dark: text(theme, 'dark') ?? light };
}

/** `thumbnails`: look of preview images. */
export function readThumbnails(root: Section): SiteConfig['thumbnails'] {
  const thumbnails = subsection(root, 'thumbnails');
  checkMembers(thumbnails, ['appearance', 'background', 'fonts']);
  const fonts = subsection(thumbnails, 'fonts');
  checkMembers(fonts, ['family']);
  if (text(fonts, 'family') !== null) {
    const message = '"thumbnails.fonts" has no effect: preview images use the font Inter.';
    warnAt(thumbnails, 'fonts', 'config-no-effect', message);
  }
  return {
    appearance: choice(thumbnails, 'appearance', ['light', 'dark']),
    background: text(thumbnails, 'background'),
    font: text(fonts, 'family'),
  };
}

/** `variations.options`: variants of the content, each id once. */
export function readVariations(root: Section): SiteConfig['variations'] {
  const variations = subsection(root, 'variations');
  checkMembers(variations, ['options']);
  const found = new Map<string, string>();
  const options = Array.isArray(variations.value.options) ? variations.value.options : [];
  for (const option of options) {
    const id = isObject(option) && typeof option.id === 'string' ? option.id.trim() : '';
    const label = isObject(option) && typeof option.label === 'string' ? option.label.trim() : '';
    if (id !== '' && !found.has(id)) found.set(id, label === '' ? id : label);
    else
      warnAt(
        variations,
        'options',
        'config-value',
        'An entry of "variations.options" needs a unique "id"; it was ignored.',
      );
  }
  return [...found].map(([id, label]) => ({ id, label }));
}
