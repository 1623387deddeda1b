import { isExcludedLink, isExcludedText } from '../assistant.ts';
import { iconKeys } from '../icon.ts';
import { defineKey, type Type, type ValueOf, type ValuesOf } from '../key.ts';
import { memberName, memberOf, type Section, warnAt } from '../section.ts';
import { color, flag, link, list, object, oneOf, record, shortened, text, themed } from '../types.ts';

const BRANDS: Readonly<Record<string, string>> = { github: 'GitHub', discord: 'Discord' };
/** Entries of one list that is on every page. */
const MAX_LINKS = 100;
const MAX_COLUMNS = 20;

const linkKeys = {
  label: defineKey('Text of the link', text),
  href: defineKey('Target of the link', link),
  ...iconKeys('Icon before the text'),
  type: defineKey(
    'Appearance: `github` and `discord` have the icon of that site',
    oneOf('link', 'button', 'github', 'discord'),
    { partial: 'a link with the icon of GitHub or Discord, without counts of stars and members' },
  ),
  title: defineKey('Another name of `label`', text, { isOlder: true }),
  name: defineKey('Another name of `label`', text, { isOlder: true }),
  url: defineKey('Another name of `href`', link, { isOlder: true }),
};

/** A link of the bar; null without a target. `fallback` is its type if it names none. */
function linkOf(values: ValuesOf<typeof linkKeys>, section: Section, fallback: 'link' | 'button') {
  const target = values.href ?? values.url;
  if (target !== null && isExcludedLink(section, values.href === null ? 'url' : 'href', target)) return null;
  if (target === null) {
    const message = `"${section.name}" has no usable "href"; the link was removed.`;
    warnAt(section, undefined, 'config-value', message);
    return null;
  }
  const type = values.type ?? fallback;
  const label = values.label ?? values.title ?? values.name ?? BRANDS[type] ?? '';
  return { label, href: target, icon: values.icon, type };
}

/** Links of the footer should use https; others are kept with a warning. */
const footerLink: Type<string | null> = {
  ...link,
  read(section, key) {
    const target = link.read(section, key);
    if (target !== null && /^http:/i.test(target)) {
      const message = `"${memberName(section, key)}" should be an https URL; browsers may warn readers about this one.`;
      warnAt(section, key, 'config-value', message);
    }
    return target !== null && isExcludedLink(section, key, target) ? null : target;
  },
};

const SOCIALS = [
  ...['x', 'website', 'facebook', 'youtube', 'discord', 'slack', 'github', 'linkedin', 'instagram'],
  ...['hacker-news', 'medium', 'telegram', 'twitter', 'x-twitter', 'earth-americas', 'bluesky', 'threads'],
  ...['reddit', 'podcast'],
];

const byPlatform = record(footerLink, { max: MAX_LINKS, names: SOCIALS, areAllNames: true });
const listed = list(
  {
    type: defineKey('Name of the site', text),
    url: defineKey('URL of the profile', footerLink),
    platform: defineKey('Another name of `type`', text, { isOlder: true }),
    href: defineKey('Another name of `url`', footerLink, { isOlder: true }),
  },
  ({ type, platform, url, href }) => {
    const name = type ?? platform;
    const target = url ?? href;
    return name === null || target === null ? null : { platform: name, href: target };
  },
  { max: MAX_LINKS },
);

/** An object of URLs by site, or the older list of `{type, url}`. */
const socials: Type<{ platform: string; href: string }[]> = {
  values: `object of URLs by site: ${SOCIALS.map((name) => `\`${name}\``).join(', ')}`,
  schema: () => ({ anyOf: [byPlatform.schema(), listed.schema()] }),
  read(section, key) {
    if (Array.isArray(memberOf(section, key))) return listed.read(section, key);
    return Object.entries(byPlatform.read(section, key)).map(([platform, href]) => ({ platform, href }));
  },
};

/** Keys for what is around the content of each page. Nodes of languages have them too. */
export const chromeKeys = {
  navbar: defineKey(
    'Bar above the pages',
    object({
      links: defineKey(
        'Links of the bar',
        list(linkKeys, (values, section) => linkOf(values, section, 'link'), { max: MAX_LINKS }),
        { example: [{ label: 'Support', href: 'https://example.com/help', icon: 'life-ring' }] },
      ),
      primary: defineKey(
        'Last entry of the bar, a button unless `type` is another one',
        object(linkKeys, (values, section) =>
          Object.keys(section.value).length === 0 ? null : linkOf(values, section, 'button'),
        ),
      ),
    }),
  ),
  footer: defineKey(
    'End of the pages',
    object(
      {
        socials: defineKey('Profiles of the organization, as icons', socials, {
          example: { github: 'https://github.com/acme' },
        }),
        links: defineKey(
          'Columns of links',
          list(
            {
              header: defineKey('Title of the column', text),
              items: defineKey(
                'Links of the column',
                list(
                  {
                    label: defineKey('Text of the link', text, { otherwise: 'the target' }),
                    href: defineKey('Target of the link', footerLink),
                  },
                  ({ label, href }) => (href === null ? null : { label: label ?? href, href }),
                  { max: MAX_LINKS },
                ),
              ),
            },
            (column) => column,
            { max: MAX_COLUMNS },
          ),
        ),
      },
      ({ socials: profiles, links: columns }) => ({ socials: profiles, columns }),
    ),
  ),
  banner: defineKey(
    'Message above the navbar',
    shortened(
      'content',
      {
        content: defineKey('Inline Markdown, which may contain character references such as `&nbsp;`', text, {
          example: '**2.0** is [out](/changelog)',
          finish: (content, section, key) =>
            content !== null && isExcludedText(section, key, content) ? null : content,
        }),
        dismissible: defineKey('Readers can close it', flag, { default: false }),
        type: defineKey('What it is about, which sets its color', oneOf('info', 'warning', 'critical'), {
          default: 'info',
        }),
        color: defineKey('Color of the background', themed(color, 'Color'), {
          otherwise: 'that of the type',
        }),
      },
      ({ content, ...look }) => (content === null ? null : { content, ...look }),
    ),
  ),
};

export type LinkItem = NonNullable<ReturnType<typeof linkOf>>;
export type Footer = ValueOf<typeof chromeKeys.footer>;
export type Banner = NonNullable<ValueOf<typeof chromeKeys.banner>>;
