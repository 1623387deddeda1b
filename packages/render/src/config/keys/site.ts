import { isExcludedPrompt } from '../assistant.ts';
import { defineKey, type Type } from '../key.ts';
import { memberOf, warnAt } from '../section.ts';
import { flag, list, object, oneOf, record, text, texts } from '../types.ts';

/** Longest value of a variable, in characters. */
const MAX_VARIABLE = 10_000;

/** The value of a variable is plain text: tags are taken out, since it is put into pages before the parse. */
const variable: Type<string | null> = {
  ...text,
  read(section, name) {
    if (!/^[A-Za-z0-9_.-]{1,200}$/.test(name)) {
      const message = `Invalid variable name ${JSON.stringify(name.slice(0, 60))}. Use letters, digits, "_", "." and "-".`;
      warnAt(section, name, 'config-value', message);
      return null;
    }
    const written = memberOf(section, name);
    const value = typeof written === 'string' ? written : text.read(section, name);
    return value?.slice(0, MAX_VARIABLE).replace(/<[^<>]*>/g, '') ?? null;
  },
};

/** Keys for how pages behave. */
export const siteKeys = {
  interaction: defineKey(
    'Behavior of the sidebar',
    object({
      drilldown: defineKey('Opening a group opens its first page', flag, { otherwise: 'that of the theme' }),
    }),
  ),
  search: defineKey(
    'Search of the site',
    object({
      prompt: defineKey('Text of the search field', text, {
        otherwise: '`Search the docs` in the language of the site',
        finish: (prompt, section, key) =>
          prompt !== null && isExcludedPrompt(section, key, prompt) ? null : prompt,
      }),
      synonyms: defineKey(
        'Words that mean the same, a text for each group with commas between its words',
        texts,
        {
          example: ['SSO, single sign-on', 'k8s, Kubernetes'],
        },
      ),
    }),
  ),
  images: defineKey(
    'Images of pages: [Images](/write/images#smaller-variants)',
    object({
      variants: defineKey(
        'Format of smaller variants of PNG, JPEG and WebP images, which an export adds',
        oneOf('webp', 'avif'),
        { otherwise: 'pages show the originals', note: 'needs the package `sharp` where the export runs' },
      ),
    }),
  ),
  metadata: defineKey(
    'Facts about pages',
    object({
      timestamp: defineKey('Pages show the date of the last change', flag, {
        default: false,
        note: 'the date of the last commit if it is known, otherwise the date in the front matter',
      }),
    }),
  ),
  errors: defineKey(
    'Error pages',
    object({
      '404': defineKey(
        'Page for unknown URLs',
        object({
          redirect: defineKey('Readers are redirected to the home page', flag, {
            partial: 'readers see the error page instead of a redirect to the home page',
            finish(isOn, section, key) {
              const message =
                '"errors.404.redirect" has no effect: the error page says that the URL was not found, and links to the home page.';
              if (isOn === true) warnAt(section, key, 'config-no-effect', message);
              return isOn ?? true;
            },
          }),
          title: defineKey('Title of the page', text, { otherwise: '`Page not found`' }),
          description: defineKey('Content of the page, as MDX', text),
        }),
      ),
    }),
  ),
  variables: defineKey(
    'Texts by name; `{{name}}` in a page, its title and description, and in the banner is replaced before parsing',
    record(variable),
    {
      example: { version: '2.4.1' },
      note: 'in pages, snippets, titles and descriptions, and in the banner',
    },
  ),
  variations: defineKey(
    'Variants of the content for `<Variation>`; the first is the default',
    object(
      {
        options: defineKey(
          'The variants',
          list(
            {
              id: defineKey('Name in `<Variation is="...">`, unique in the list', text),
              label: defineKey('Text of the menu', text, { otherwise: 'the id' }),
            },
            ({ id, label }, section) => {
              if (id !== null) return { id, label: label ?? id };
              const message = `"${section.name}" needs a unique "id"; it was ignored.`;
              warnAt(section, undefined, 'config-value', message);
              return null;
            },
            {
              unique: {
                by: ({ id }) => id,
                warn(_option, section) {
                  const message = `"${section.name}" needs a unique "id"; it was ignored.`;
                  warnAt(section, 'id', 'config-value', message);
                },
              },
            },
          ),
          { example: [{ id: 'js', label: 'JavaScript' }] },
        ),
      },
      ({ options }) => options,
    ),
  ),
};
