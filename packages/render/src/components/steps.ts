import type { Component, PageScope } from './component.ts';
import { createNesting } from './nesting.ts';
import {
  attribute,
  readFlag,
  readHtml,
  readIcon,
  readId,
  readLabel,
  readNumber,
  readText,
  rootAttributes,
} from './props.ts';

type TitleSize = 'p' | 'h2' | 'h3' | 'h4';

interface StepList {
  /** Number of the step before. */
  count: number;
  titleSize: TitleSize;
}

const nesting = createNesting<StepList>();
const DEPTHS = { p: 3, h2: 2, h3: 3, h4: 4 } as const;

export const steps: Component = (props, children, page) => {
  const list: StepList = { count: 0, titleSize: readTitleSize(readText(props, 'titleSize'), 'p') };
  const attributes = rootAttributes(props, page, ['steps']);
  return `<div${attributes} role="list">${nesting.within(page, list, () => page.html(children))}</div>`;
};

/** One step; its title is listed in the table of contents. */
export const step: Component = (props, children, page) => {
  const list = nesting.nearest(page);
  const number = readNumber(props, 'stepNumber', 0, 999, (list?.count ?? 0) + 1);
  if (list !== null) list.count = number;
  const size = readTitleSize(readText(props, 'titleSize'), list?.titleSize ?? 'p');
  const icon = readIcon(props, page, { size: 14 });
  const title = writeTitle(props, size, page);
  const attributes = rootAttributes(props, page, ['step'], title === '' ? readId(props, page) : null);
  // A list inside a step starts at one again.
  const body = nesting.within(page, { count: 0, titleSize: size }, () => page.html(children));
  return [
    `<div${attributes}${list === null ? '' : ' role="listitem"'}>`,
    `<div class="op-step-number" data-component-part="step-number"${icon === '' ? '' : ' aria-hidden="true"'}>${icon === '' ? number : icon}</div>`,
    '<div class="op-step-line" data-component-part="step-line"></div>',
    '<div class="op-step-body">',
    title,
    `<div class="op-step-content" data-component-part="step-content">${body}</div>`,
    '</div></div>',
  ].join('');
};

/** Title with its anchor; `noAnchor` leaves out the visible link, not the id. */
function writeTitle(props: StepProps, size: TitleSize, page: PageScope): string {
  const title = readHtml(props, 'title', page);
  if (title === '') return '';
  const id = readId(props, page) ?? page.id(page.text(props.title));
  page.toc({ depth: DEPTHS[size], id, html: readLabel(props, 'title', page) });
  const anchor = readFlag(props, 'noAnchor')
    ? ''
    : `<a class="op-heading-anchor"${attribute('href', `#${encodeURI(id.toWellFormed())}`)} aria-hidden="true" tabindex="-1"></a>`;
  return `<${size}${attribute('id', id)} class="op-step-title" data-component-part="step-title">${title}${anchor}</${size}>`;
}

type StepProps = Parameters<Component>[0];

/** Whether the node being written is in a step. */
export function isInStep(page: PageScope): boolean {
  return nesting.nearest(page) !== null;
}

function readTitleSize(written: string | null, fallback: TitleSize): TitleSize {
  return written === 'p' || written === 'h2' || written === 'h3' || written === 'h4' ? written : fallback;
}
