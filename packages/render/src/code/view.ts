import { type Attributes, h, type View } from '../components/markup.ts';

/** An expandable block with fewer lines is shown whole. */
export const MIN_EXPANDABLE_LINES = 12;

/** What a code block shows. */
export interface CodeBlock {
  /** Attributes of the root besides. */
  attributes?: Attributes | undefined;
  /** Classes of the root besides. */
  looks?: readonly string[];
  /** Name of the language. */
  language: string;
  title: string | null;
  icon?: View;
  /** Name of the block for screen readers. */
  label: string;
  /** Content of the `code` element. */
  body: View;
  hasCopy: boolean;
  /** Shows its first lines and a button for all. */
  isExpandable?: boolean;
}

/** Words that a code block shows. */
export interface CodeWords {
  readonly copyCode: string;
  readonly showAllLines: string;
}

/** A code block. Its copy button (`[data-op-copy]`) copies the text of the `code` element beside it. */
export function codeView(block: CodeBlock, words: CodeWords): View {
  const { attributes, looks = [], language, title, icon = null, label, body } = block;
  return h(
    'div',
    {
      ...attributes,
      class: ['code-block op-code-block', ...looks].join(' '),
      'data-component-part': 'code-block-root',
      'data-language': language,
    },
    title === null
      ? null
      : h(
          'div',
          { class: 'op-code-header', 'data-component-part': 'code-block-header' },
          icon,
          h('span', { 'data-component-part': 'code-block-header-filename' }, title),
        ),
    h(
      'pre',
      { class: 'code-block-background', tabindex: '0', role: 'group', 'aria-label': label },
      h('code', null, body),
    ),
    block.hasCopy
      ? h('button', {
          type: 'button',
          class: 'op-copy code-block-copy-button',
          'data-op-copy': true,
          'aria-label': words.copyCode,
        })
      : null,
    block.isExpandable === true
      ? [
          h('div', { class: 'code-block-fade-overlay op-code-block-fade-overlay' }),
          h(
            'button',
            { type: 'button', class: 'op-code-expand', 'data-expand': true, 'aria-expanded': 'false' },
            words.showAllLines,
          ),
        ]
      : null,
  );
}
