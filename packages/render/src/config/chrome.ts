import type { Banner, Footer, FooterColumn, LinkItem, SiteConfig, ThemedColor } from '../site.ts';
import { isExcludedLink, isExcludedText } from './assistant.ts';
import { iconOf } from './icon.ts';
import { isObject } from './json.ts';
import {
  checkMembers,
  choice,
  color,
  flag,
  href,
  limited,
  memberName,
  type Section,
  sections,
  subsection,
  text,
  warnAt,
} from './section.ts';

const BRANDS: Readonly<Record<string, string>> = { github: 'GitHub', discord: 'Discord' };
/** Entries of one list that is on every page. */
const MAX_LINKS = 100;
const MAX_COLUMNS = 20;
const LINK = ['label', 'title', 'name', 'href', 'url', 'icon', 'iconType', 'type'];

/** `navbar`: links, and the call to action. Also read from a language node. */
export function readNavbar(root: Section): SiteConfig['navbar'] {
  const navbar = subsection(root, 'navbar');
  checkMembers(navbar, ['links', 'primary']);
  const links = limited(navbar, 'links', sections(navbar, 'links'), MAX_LINKS).flatMap(
    (link) => readLink(link, 'link') ?? [],
  );
  const primary = subsection(navbar, 'primary');
  return { links, primary: Object.keys(primary.value).length === 0 ? null : readLink(primary, 'button') };
}

function readLink(link: Section, fallback: 'link' | 'button'): LinkItem | null {
  checkMembers(link, LINK);
  const written = href(link, 'href');
  const target = written ?? href(link, 'url');
  if (target !== null && isExcludedLink(link, written === null ? 'url' : 'href', target)) return null;
  if (target === null) {
    warnAt(link, undefined, 'config-value', `"${link.name}" has no usable "href"; the link was removed.`);
    return null;
  }
  const type = choice(link, 'type', ['link', 'button', 'github', 'discord']) ?? fallback;
  const label = text(link, 'label') ?? text(link, 'title') ?? text(link, 'name') ?? BRANDS[type] ?? '';
  return { label, href: target, icon: iconOf(link), type };
}

/** `footer`: socials as an object (or the older list of `{type, url}`), and columns of links. */
export function readFooter(root: Section): Footer {
  const footer = subsection(root, 'footer');
  checkMembers(footer, ['socials', 'links']);
  return {
    socials: readSocials(footer),
    columns: limited(footer, 'links', sections(footer, 'links'), MAX_COLUMNS).map(readColumn),
  };
}

function readSocials(footer: Section): Footer['socials'] {
  if (Array.isArray(footer.value.socials)) {
    return limited(footer, 'socials', sections(footer, 'socials'), MAX_LINKS).flatMap((item) => {
      const platform = text(item, 'type') ?? text(item, 'platform');
      const target = footerHref(item, 'url') ?? footerHref(item, 'href');
      return platform === null || target === null ? [] : [{ platform, href: target }];
    });
  }
  const socials = subsection(footer, 'socials');
  return limited(footer, 'socials', Object.keys(socials.value), MAX_LINKS).flatMap((platform) => {
    const target = footerHref(socials, platform);
    return target === null ? [] : [{ platform, href: target }];
  });
}

/** External links of the footer should use https; others are kept with a warning. */
function footerHref(section: Section, key: string): string | null {
  const target = href(section, key);
  if (target !== null && /^http:/i.test(target)) {
    const message = `"${memberName(section, key)}" should be an https URL; browsers may warn readers about this one.`;
    warnAt(section, key, 'config-value', message);
  }
  return target !== null && isExcludedLink(section, key, target) ? null : target;
}

function readColumn(column: Section): FooterColumn {
  checkMembers(column, ['header', 'items']);
  const items = limited(column, 'items', sections(column, 'items'), MAX_LINKS).flatMap((item) => {
    checkMembers(item, ['label', 'href']);
    const target = footerHref(item, 'href');
    return target === null ? [] : [{ label: text(item, 'label') ?? target, href: target }];
  });
  return { header: text(column, 'header'), items };
}

/** `banner`: an object, or its content alone. Also read from a language node. */
export function readBanner(root: Section): Banner | null {
  if (typeof root.value.banner === 'string') {
    const content = text(root, 'banner');
    if (content === null || isExcludedText(root, 'banner', content)) return null;
    return { content, dismissible: false, type: 'info', color: null };
  }
  const banner = subsection(root, 'banner');
  checkMembers(banner, ['content', 'dismissible', 'type', 'color']);
  const content = text(banner, 'content');
  if (content === null || isExcludedText(banner, 'content', content)) return null;
  return {
    content,
    dismissible: flag(banner, 'dismissible') ?? false,
    type: choice(banner, 'type', ['info', 'warning', 'critical']) ?? 'info',
    color: readThemedColor(banner, 'color'),
  };
}

/** A color for both appearances, or `{light, dark}`; one of the two replaces a missing other. */
export function readThemedColor(parent: Section, key: string): ThemedColor | null {
  if (!isObject(parent.value[key])) {
    const both = color(parent, key);
    return both === null ? null : { light: both, dark: both };
  }
  const colors = subsection(parent, key);
  checkMembers(colors, ['light', 'dark']);
  const light = color(colors, 'light') ?? color(colors, 'dark');
  return light === null ? null : { light, dark: color(colors, 'dark') ?? light };
}

/** `logo`: a path, or `{light, dark, href?}`. */
export function readLogo(root: Section): SiteConfig['logo'] {
  const paths = readThemedPath(root, 'logo');
  if (paths === null) return null;
  if (!isObject(root.value.logo)) return { ...paths, href: null };
  const logo = subsection(root, 'logo');
  checkMembers(logo, ['light', 'dark', 'href']);
  return { ...paths, href: href(logo, 'href') };
}

/** A path for both appearances, or `{light, dark}`; one of the two replaces a missing other. */
export function readThemedPath(root: Section, key: string): { light: string; dark: string } | null {
  if (typeof root.value[key] === 'string') {
    const path = href(root, key);
    return path === null ? null : { light: path, dark: path };
  }
  const paths = subsection(root, key);
  const light = href(paths, 'light') ?? href(paths, 'dark');
  return light === null ? null : { light, dark: href(paths, 'dark') ?? light };
}
