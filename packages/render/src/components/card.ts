import type { Props } from '../tree.ts';
import { kindIcon, readKind } from './callout.ts';
import type { Component, PageScope } from './component.ts';
import {
  attribute,
  linkAttributes,
  readColor,
  readFlag,
  readHtml,
  readIcon,
  readLabel,
  readLink,
  readText,
  rootAttributes,
} from './props.ts';

type CardLink = { href: string; external: boolean };

/**
 * A card; with `href` the whole of it is one link. The link is the title and its area is stretched over the
 * card, so that links in the body stay valid and a screen reader hears the title alone.
 */
export const card: Component = (props, children, page) => {
  const link = readLink(props, page);
  const kind = readKind(props);
  const attributes = rootAttributes(props, page, [
    'card',
    link === null ? null : 'op-card-linked',
    readFlag(props, 'horizontal') ? 'op-card-horizontal' : null,
    readFlag(props, 'disabled') ? 'op-card-disabled' : null,
    kind === null ? null : `op-card-${kind}`,
  ]);
  const body = page.html(children);
  const icon =
    readIcon(props, page, { size: 24, color: readColor(props.color) }) ||
    (kind === null ? '' : kindIcon(kind, 22));
  return [
    `<div${attributes}${readFlag(props, 'disabled') ? ' aria-disabled="true"' : ''}>`,
    readImage(props, page),
    showsArrow(props, link)
      ? '<span class="op-card-arrow" data-component-part="card-arrow" aria-hidden="true"></span>'
      : '',
    '<div class="op-card-main" data-component-part="card-content-container">',
    icon === '' ? '' : `<div class="op-card-icon" data-component-part="card-icon">${icon}</div>`,
    '<div class="op-card-text">',
    writeTitle(readTitle(props, link, page), link, () => page.text(children)),
    body === '' ? '' : `<div class="op-card-content" data-component-part="card-content">${body}</div>`,
    writeCta(props, link, page),
    '</div></div></div>',
  ].join('');
};

/** A link with a preview area above its title. */
export const tile: Component = (props, children, page) => {
  const link = readLink(props, page);
  const description = readHtml(props, 'description', page);
  return [
    `<div${rootAttributes(props, page, ['tile', link === null ? null : 'op-card-linked'])}>`,
    `<div class="op-tile-preview" data-component-part="tile-preview">${page.html(children)}</div>`,
    writeTitle(readTitle(props, link, page), link, () => page.text(children)),
    description === ''
      ? ''
      : `<div class="op-card-content" data-component-part="tile-description">${description}</div>`,
    '</div>',
  ].join('');
};

function readTitle(props: Props, link: CardLink | null, page: PageScope): string {
  return link === null ? readHtml(props, 'title', page) : readLabel(props, 'title', page);
}

function readImage(props: Props, page: PageScope): string {
  const src = readText(props, 'img');
  const path = src === null ? null : page.asset(src);
  if (path === null) return '';
  return `<img class="op-card-image" data-component-part="card-image"${attribute('src', path)} alt="" loading="lazy" data-nozoom>`;
}

function showsArrow(props: Props, link: CardLink | null): boolean {
  if (link === null) return false;
  return props.arrow === undefined ? link.external : readFlag(props, 'arrow');
}

/** `text` gives a link without a title its name. */
function writeTitle(title: string, link: CardLink | null, text: () => string): string {
  if (link === null)
    return title === '' ? '' : `<div class="op-card-title" data-component-part="card-title">${title}</div>`;
  const start = `<a${linkAttributes(link)}`;
  if (title === '') {
    const label = text().trim().slice(0, 120) || link.href;
    return `${start} class="op-card-cover"${attribute('aria-label', label)}></a>`;
  }
  return `<div class="op-card-title" data-component-part="card-title">${start} class="op-card-cover">${title}</a></div>`;
}

function writeCta(props: Props, link: CardLink | null, page: PageScope): string {
  const cta = link === null ? readHtml(props, 'cta', page) : readLabel(props, 'cta', page);
  return cta === '' ? '' : `<div class="op-card-cta" data-component-part="card-cta">${cta}</div>`;
}
