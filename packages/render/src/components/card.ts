import type { Props } from '../tree.ts';
import type { Component, PageScope } from './component.ts';
import {
  attribute,
  classAttribute,
  readColor,
  readFlag,
  readHtml,
  readIcon,
  readId,
  readText,
  withoutLinks,
} from './props.ts';

const TYPES: ReadonlySet<string> = new Set(['note', 'warning', 'info', 'tip', 'check', 'danger']);

/**
 * A card; with `href` the whole of it is one link. The link is the title and its area is stretched over the
 * card, so that links in the body stay valid and a screen reader hears the title alone.
 */
export const card: Component = (props, children, page) => {
  const link = readLink(props, page);
  const type = readText(props, 'type');
  const body = page.html(children);
  const title = withoutLinks(readHtml(props, 'title', page));
  const icon = readIcon(props, page, { size: 24, color: readColor(props.color) });
  const image = readImage(props, page);
  return [
    `<div${attribute('id', readId(props))}${classAttribute(
      props,
      'card',
      link === null ? null : 'card-linked',
      readFlag(props, 'horizontal') ? 'card-horizontal' : null,
      readFlag(props, 'disabled') ? 'card-disabled' : null,
      type !== null && TYPES.has(type) ? `card-${type}` : null,
    )}>`,
    image,
    showsArrow(props, link)
      ? '<span class="card-arrow" data-component-part="card-arrow" aria-hidden="true"></span>'
      : '',
    '<div class="card-main" data-component-part="card-content-container">',
    icon === '' ? '' : `<div class="card-icon" data-component-part="card-icon">${icon}</div>`,
    '<div class="card-text">',
    writeTitle(title, link, body === '' ? '' : page.text(children)),
    body === '' ? '' : `<div class="card-content" data-component-part="card-content">${body}</div>`,
    writeCta(props, page),
    '</div></div></div>',
  ].join('');
};

/** A link with a preview area above its title. */
export const tile: Component = (props, children, page) => {
  const link = readLink(props, page);
  const description = readHtml(props, 'description', page);
  return [
    `<div${attribute('id', readId(props))}${classAttribute(props, 'tile', link === null ? null : 'card-linked')}>`,
    `<div class="tile-preview" data-component-part="tile-preview">${page.html(children)}</div>`,
    writeTitle(withoutLinks(readHtml(props, 'title', page)), link, page.text(children)),
    description === ''
      ? ''
      : `<div class="card-content" data-component-part="tile-description">${description}</div>`,
    '</div>',
  ].join('');
};

type CardLink = { href: string; external: boolean };

function readLink(props: Props, page: PageScope): CardLink | null {
  const href = readText(props, 'href');
  return href === null || readFlag(props, 'disabled') ? null : page.link(href);
}

function readImage(props: Props, page: PageScope): string {
  const src = readText(props, 'img');
  const path = src === null ? null : page.asset(src);
  if (path === null) return '';
  return `<img class="card-image" data-component-part="card-image"${attribute('src', path)} alt="" loading="lazy">`;
}

function showsArrow(props: Props, link: CardLink | null): boolean {
  if (link === null) return false;
  return props.arrow === undefined ? link.external : readFlag(props, 'arrow');
}

function writeTitle(title: string, link: CardLink | null, text: string): string {
  if (link === null)
    return title === '' ? '' : `<div class="card-title" data-component-part="card-title">${title}</div>`;
  const target = link.external ? ' target="_blank" rel="noopener noreferrer"' : '';
  const start = `<a${attribute('href', link.href)}${target}`;
  if (title === '') {
    const label = text.trim().slice(0, 120) || link.href;
    return `${start} class="card-cover"${attribute('aria-label', label)}></a>`;
  }
  return `<div class="card-title" data-component-part="card-title">${start} class="card-cover">${title}</a></div>`;
}

function writeCta(props: Props, page: PageScope): string {
  const cta = readHtml(props, 'cta', page);
  return cta === '' ? '' : `<div class="card-cta" data-component-part="card-cta">${cta}</div>`;
}
