import { escapeText } from '../escape.ts';
import { iconSvg } from '../icons/index.ts';
import type { Component } from './component.ts';
import { attribute, classAttribute, readIcon, readId, readText } from './props.ts';

/** Text for the reader's own assistant, with a button that copies it. */
export const prompt: Component = (props, children, page) => {
  const description = readText(props, 'description');
  const icon = readIcon(props, page, { size: 16 });
  return [
    `<div${attribute('id', readId(props))}${classAttribute(props, 'prompt')} data-copy-root>`,
    `<div class="prompt-head"><div class="prompt-description">${icon}<span>${description === null ? escapeText(page.strings.prompt) : page.inline(description)}</span></div>`,
    `<button type="button" class="button" data-copy${attribute('data-copy-label', page.strings.copied)}>${escapeText(page.strings.copyPrompt)}</button></div>`,
    `<details class="prompt-text"><summary>${escapeText(page.strings.showPrompt)}</summary><pre tabindex="0" role="group"${attribute('aria-label', page.strings.prompt)}><code>${escapeText(page.text(children).trim())}</code></pre></details></div>`,
  ].join('');
};

const SLUG = /^[A-Za-z0-9_.-]{1,100}\/[A-Za-z0-9_.-]{1,100}$/;

/** A repository as a card. The number of stars would need the network, so it is not shown. */
export const repository: Component = (props, _children, page) => {
  const written = readText(props, 'repo') ?? '';
  const slug = written.replace(/^https?:\/\/github\.com\//, '').replace(/(?:\.git)?\/?$/, '');
  if (!SLUG.test(slug)) {
    page.warn('invalid-repository', `"${written.slice(0, 100)}" is no repository: write it as "owner/name".`);
    return '';
  }
  const href = page.link(`https://github.com/${slug}`)?.href ?? null;
  if (href === null) return '';
  const mark =
    iconSvg({ name: 'github', style: 'brands', library: 'fontawesome' }, 'fontawesome', { size: 20 }) ?? '';
  const look = readText(props, 'variant') === 'flat' ? 'repository-flat' : null;
  return `<a${classAttribute(props, 'repository', look)}${attribute('href', href)} target="_blank" rel="noopener noreferrer">${mark}<span>${escapeText(slug)}</span></a>`;
};
