import { escapeText } from '../escape.ts';
import { FEATURE_EXCLUDED } from '../excluded.ts';
import { iconSvg } from '../icons/index.ts';
import type { Component, PageScope } from './component.ts';
import {
  attribute,
  linkAttributes,
  readIcon,
  readList,
  readMarkdown,
  readText,
  rootAttributes,
} from './props.ts';

const CURSOR = 'cursor://anysphere.cursor-deeplink/prompt?text=';

/** Text for the reader's own assistant, with a button that copies it and one that opens it in Cursor. */
export const prompt: Component = (props, children, page) => {
  const { strings } = page;
  const description = readMarkdown(props, 'description', page) || escapeText(strings.prompt);
  const icon = readIcon(props, page, { size: 18 });
  const text = page.markdown(children).trim();
  const actions = props.actions === undefined ? ['copy'] : readList(props, 'actions');
  const buttons = [
    actions.includes('copy')
      ? `<button type="button" class="op-button" data-component-part="prompt-copy-button" data-op-copy${attribute('data-op-copy-label', strings.copied)}>${escapeText(strings.copyPrompt)}</button>`
      : '',
    actions.includes('cursor') && hasAssistants(page)
      ? `<a class="op-button" data-component-part="prompt-cursor-button"${attribute('href', CURSOR + encodeURIComponent(text.toWellFormed()))}>${escapeText(strings.openInCursor)}</a>`
      : '',
  ].join('');
  return [
    `<div${rootAttributes(props, page, ['prompt'])} data-op-copy-root>`,
    '<div class="op-prompt-head">',
    icon === '' ? '' : `<span class="op-prompt-icon" data-component-part="prompt-icon">${icon}</span>`,
    `<div class="op-prompt-description" data-component-part="prompt-description">${description}</div>`,
    `<div class="op-prompt-actions">${buttons}</div></div>`,
    `<details class="op-prompt-text"><summary>${escapeText(strings.showPrompt)}</summary><pre tabindex="0" role="group"${attribute('aria-label', strings.prompt)}><code>${escapeText(text)}</code></pre></details></div>`,
  ].join('');
};

/** Whether the export may link to assistants; if not, warns where the page requests one. */
function hasAssistants(page: PageScope): boolean {
  const reason = page.excluded.assistant;
  if (reason !== undefined)
    page.warn(FEATURE_EXCLUDED, `"cursor" of <Prompt> opens an assistant and was removed. ${reason}`);
  return reason === undefined;
}

const SLUG = /^[A-Za-z0-9_.-]{1,100}\/[A-Za-z0-9_.-]{1,100}$/;

/** A repository as a card. Its description and stars would need the network, so they are not shown. */
export const repository: Component = (props, _children, page) => {
  const written = readText(props, 'repo') ?? '';
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
    return '';
  }
  const link = page.noLinks ? null : page.link(`https://github.com/${slug}`);
  if (link === null) return escapeText(slug);
  const mark =
    iconSvg({ name: 'github', style: 'brands', library: 'fontawesome' }, 'fontawesome', { size: 24 }) ?? '';
  const look = readText(props, 'variant') === 'flat' ? 'op-repository-flat' : 'op-repository-inset';
  return [
    `<a${rootAttributes(props, page, ['repository', look])}${linkAttributes(link)}>`,
    `<span class="op-repository-mark">${mark}</span><span class="op-repository-text">`,
    `<span class="op-repository-owner">${escapeText(owner)}/</span><span class="op-repository-name">${escapeText(name)}</span></span>`,
    '<span class="op-card-arrow" aria-hidden="true"></span></a>',
  ].join('');
};
