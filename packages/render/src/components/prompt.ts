import { FEATURE_EXCLUDED } from '../excluded.ts';
import type { IconRef } from '../site.ts';
import { css, defineComponent, type PageScope } from './component.ts';
import { h, isEmpty, partOf } from './markup.ts';
import { linkAttributes, rootAttributes, showIcon, showMarkdown } from './props.ts';
import { iconProps, list, markdown, oneOf, text } from './schema.ts';

const CURSOR = 'cursor://anysphere.cursor-deeplink/prompt?text=';

/** Text for the reader's own assistant. */
export const prompt = defineComponent({
  name: 'Prompt',
  kind: 'block',
  about:
    'Text for the assistant of the reader, with a button that copies it; its content is copied as Markdown',
  example:
    '<Prompt description="Write a *first page*" icon="pen">Ask what the product does, then write its first page.</Prompt>',
  isVerbatim: true,
  props: {
    description: markdown('visible text'),
    ...iconProps('before the text'),
    actions: {
      ...list('buttons; default: `["copy"]`', '`copy`, `cursor`'),
      read: (value) => (value === undefined ? ['copy'] : list('').read(value)),
    },
  },
  view(props, children, page) {
    const { strings } = page;
    const description = showMarkdown(props.description, page);
    const icon = showIcon(props, page, { size: 18 });
    const source = page.markdown(children).trim();
    const copy = h(
      'button',
      {
        type: 'button',
        class: 'op-button',
        'data-component-part': 'prompt-copy-button',
        'data-op-copy': true,
        'data-op-copy-label': strings.copied,
      },
      strings.copyPrompt,
    );
    const cursor = () =>
      h(
        'a',
        {
          class: 'op-button',
          'data-component-part': 'prompt-cursor-button',
          href: CURSOR + encodeURIComponent(source.toWellFormed()),
        },
        strings.openInCursor,
      );
    return h(
      'div',
      { ...rootAttributes(props.common, page, ['prompt']), 'data-op-copy-root': true },
      h(
        'div',
        { class: 'op-prompt-head' },
        partOf('span', 'prompt-icon', icon),
        partOf('div', 'prompt-description', isEmpty(description) ? strings.prompt : description),
        h(
          'div',
          { class: 'op-prompt-actions' },
          props.actions.includes('copy') ? copy : null,
          props.actions.includes('cursor') && hasAssistants(page) ? cursor() : null,
        ),
      ),
      h(
        'details',
        { class: 'op-prompt-text' },
        h('summary', null, strings.showPrompt),
        h('pre', { tabindex: '0', role: 'group', 'aria-label': strings.prompt }, h('code', null, source)),
      ),
    );
  },
  style: css`
    .op-prompt {
      margin-block: 20px;
      border: 1px solid var(--color-border);
      border-radius: var(--radius-card);
      background: var(--color-raised);
      overflow: hidden;
    }
    .op-prompt-head {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: 12px;
      padding: 12px 12px 12px 16px;
    }
    .op-prompt-icon {
      flex: none;
      color: var(--color-primary);
      line-height: 0;
    }
    .op-prompt-description {
      min-inline-size: 0;
      flex: 1 1 200px;
      font-size: 14.5px;
      line-height: 22px;
      text-wrap: pretty;
    }
    .op-prompt-actions {
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
    }
    .op-prompt-text {
      border-block-start: 1px solid var(--color-border);
    }
    .op-prompt-text > summary {
      padding: 8px 16px;
      color: var(--color-muted);
      font-size: 13px;
      line-height: 20px;
      cursor: pointer;
    }
    .op-prompt-text > summary:hover {
      color: var(--color-text);
    }
    .op-prompt-text > pre {
      max-block-size: 320px;
      margin: 0;
      padding: 0 16px 14px;
      border: 0;
      background: none;
      font-size: 13px;
      line-height: 20px;
      white-space: pre-wrap;
      overflow: auto;
      overflow-wrap: anywhere;
    }
    .op-prompt summary:focus-visible {
      outline: 2px solid var(--color-primary);
      outline-offset: 2px;
    }
    /* Without JavaScript and on paper every panel follows its label. */
    @media (scripting: none) {
      .op-prompt [data-op-copy] {
        display: none;
      }
    }
    @media print {
      .op-prompt-actions {
        display: none;
      }
    }
  `,
});

/** Whether the export may link to assistants; if not, warns where the page requests one. */
function hasAssistants(page: PageScope): boolean {
  const reason = page.excluded.assistant;
  if (reason !== undefined)
    page.warn(FEATURE_EXCLUDED, `"cursor" of <Prompt> opens an assistant and was removed. ${reason}`);
  return reason === undefined;
}

const SLUG = /^[A-Za-z0-9_.-]{1,100}\/[A-Za-z0-9_.-]{1,100}$/;
const MARK: IconRef = { name: 'github', style: 'brands', library: 'fontawesome' };

/** Its description and stars would need the network, so they are not shown. */
export const repository = defineComponent({
  name: 'GitHub.Repo',
  aliases: ['Github.Repo'],
  kind: 'block',
  about: 'A GitHub repository as a card',
  example: '<GitHub.Repo repo="nodejs/node" />',
  icons: [MARK],
  props: {
    repo: text('the repository', '`owner/name` or a GitHub URL'),
    variant: oneOf(['inset', 'flat'], 'default: `inset`'),
  },
  view({ common, repo, variant }, _children, page) {
    const written = repo ?? '';
    const slug = written
      .replace(/^(?:https?:\/\/)?(?:www\.)?github\.com\//, '')
      .replace(/[?#].*$/s, '')
      .replace(/(?:\.git)?\/?$/, '');
    const [owner = '', name = ''] = slug.split('/');
    if (!SLUG.test(slug)) {
      page.warn(
        'invalid-repository',
        `"${written.slice(0, 100)}" is not a repository name. Use the form "owner/name".`,
      );
      return null;
    }
    const link = page.noLinks ? null : page.link(`https://github.com/${slug}`);
    if (link === null) return slug;
    const look = variant === 'flat' ? 'op-repository-flat' : 'op-repository-inset';
    return h(
      'a',
      { ...rootAttributes(common, page, ['repository', look]), ...linkAttributes(link) },
      h('span', { class: 'op-repository-mark' }, page.icon(MARK, { size: 24, isOwn: true })),
      h(
        'span',
        { class: 'op-repository-text' },
        h('span', { class: 'op-repository-owner' }, `${owner}/`),
        h('span', { class: 'op-repository-name' }, name),
      ),
      h('span', { class: 'op-card-arrow', 'aria-hidden': 'true' }),
    );
  },
  style: css`
    .op-repository:focus-visible {
      outline: 2px solid var(--color-primary);
      outline-offset: 2px;
    }
    .op-repository {
      display: flex;
      position: relative;
      align-items: center;
      gap: 14px;
      margin-block: 16px;
      padding: 14px 44px 14px 16px;
      border: 1px solid var(--color-border);
      border-radius: var(--radius-card);
      background: var(--color-bg);
      color: var(--color-text);
      font-size: 15px;
      line-height: 24px;
      text-decoration: none;
    }
    [dir="rtl"] .op-repository {
      padding: 14px 16px 14px 44px;
    }
    .op-repository-inset {
      background: var(--color-raised);
    }
    .op-repository-inset .op-repository-mark {
      padding: 8px;
      border: 1px solid var(--color-border);
      border-radius: var(--radius-control);
      background: var(--color-bg);
    }
    .op-repository-mark {
      flex: none;
      line-height: 0;
    }
    .op-repository-text {
      min-inline-size: 0;
      overflow-wrap: anywhere;
    }
    .op-repository-owner {
      color: var(--color-muted);
    }
    .op-repository-name {
      font-weight: 600;
    }
    .op-repository-flat {
      gap: 10px;
      padding-block: 10px;
      border-radius: var(--radius-control);
    }
    .op-repository .op-card-arrow {
      inset-block-start: calc(50% - 4px);
    }
    .op-repository:hover {
      border-color: var(--color-primary);
    }
  `,
});
