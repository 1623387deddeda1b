import type { Banner, Footer, FooterColumn, LinkItem, SiteConfig } from '../site.ts';
import { readIcon } from './icon.ts';
import { isObject } from './json.ts';
import {
  choice,
  flag,
  href,
  isSafeHref,
  type Section,
  sections,
  subsection,
  text,
  warnAt,
} from './section.ts';

const BRANDS: Readonly<Record<string, string>> = { github: 'GitHub', discord: 'Discord' };

/** `navbar`: links, and the call to action. Also read from a language node. */
export function readNavbar(root: Section): SiteConfig['navbar'] {
  const navbar = subsection(root, 'navbar');
  const links = sections(navbar, 'links').flatMap((link) => readLink(link, 'link') ?? []);
  const primary = subsection(navbar, 'primary');
  return { links, primary: Object.keys(primary.value).length === 0 ? null : readLink(primary, 'button') };
}

function readLink(link: Section, fallback: 'link' | 'button'): LinkItem | null {
  const target = href(link, 'href') ?? href(link, 'url');
  if (target === null) {
    warnAt(link, undefined, 'config-value', `"${link.name}" has no usable "href"; the link was left out.`);
    return null;
  }
  const type = choice(link, 'type', ['link', 'button', 'github', 'discord']) ?? fallback;
  const label = text(link, 'label') ?? text(link, 'title') ?? text(link, 'name') ?? BRANDS[type] ?? '';
  return { label, href: target, icon: readIcon(link.value.icon, link.value.iconType), type };
}

/** `footer`: socials as an object (or the older list of `{type, url}`), and columns of links. */
export function readFooter(root: Section): Footer {
  const footer = subsection(root, 'footer');
  return { socials: readSocials(footer), columns: sections(footer, 'links').map(readColumn) };
}

function readSocials(footer: Section): Footer['socials'] {
  if (Array.isArray(footer.value.socials)) {
    return sections(footer, 'socials').flatMap((item) => {
      const platform = text(item, 'type') ?? text(item, 'platform');
      const target = href(item, 'url') ?? href(item, 'href');
      return platform === null || target === null ? [] : [{ platform, href: target }];
    });
  }
  const socials = subsection(footer, 'socials');
  return Object.keys(socials.value).flatMap((platform) => {
    const target = href(socials, platform);
    return target === null ? [] : [{ platform, href: target }];
  });
}

function readColumn(column: Section): FooterColumn {
  const items = sections(column, 'items').flatMap((item) => {
    const target = href(item, 'href');
    return target === null ? [] : [{ label: text(item, 'label') ?? target, href: target }];
  });
  return { header: text(column, 'header'), items };
}

/** `banner`: an object, or its content alone. Also read from a language node. */
export function readBanner(root: Section): Banner | null {
  if (typeof root.value.banner === 'string') {
    const content = text(root, 'banner');
    return content === null ? null : { content, dismissible: false, type: 'info' };
  }
  const banner = subsection(root, 'banner');
  const content = text(banner, 'content');
  if (content === null) return null;
  return {
    content,
    dismissible: flag(banner, 'dismissible') ?? false,
    type: choice(banner, 'type', ['info', 'warning', 'critical']) ?? 'info',
  };
}

/** `logo`: a path, or `{light, dark, href?}`. */
export function readLogo(root: Section): SiteConfig['logo'] {
  const paths = readThemedPath(root, 'logo');
  if (paths === null) return null;
  const { logo } = root.value;
  const target =
    isObject(logo) && typeof logo.href === 'string' && isSafeHref(logo.href) ? logo.href.trim() : null;
  return { ...paths, href: target === '' ? null : target };
}

/** A path for both appearances, or `{light, dark}`; one of the two stands for a missing other. */
export function readThemedPath(root: Section, key: string): { light: string; dark: string } | null {
  if (typeof root.value[key] === 'string') {
    const path = href(root, key);
    return path === null ? null : { light: path, dark: path };
  }
  const paths = subsection(root, key);
  const light = href(paths, 'light') ?? href(paths, 'dark');
  return light === null ? null : { light, dark: href(paths, 'dark') ?? light };
}
