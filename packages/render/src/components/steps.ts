import type { Component } from './component.ts';
import { createNesting } from './nesting.ts';
import {
  attribute,
  classAttribute,
  readFlag,
  readHtml,
  readIcon,
  readId,
  readNumber,
  readText,
  withoutLinks,
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
  const body = nesting.within(page, list, () => page.html(children));
  return `<div${attribute('id', readId(props))}${classAttribute(props, 'steps')} role="list">${body}</div>`;
};

/** One step; its title stands in the table of contents. */
export const step: Component = (props, children, page) => {
  const list = nesting.nearest(page);
  const number = readNumber(props, 'stepNumber', 0, 999, (list?.count ?? 0) + 1);
  if (list !== null) list.count = number;
  const size = readTitleSize(readText(props, 'titleSize'), list?.titleSize ?? 'p');
  const title = readHtml(props, 'title', page);
  const hasAnchor = title !== '' && !readFlag(props, 'noAnchor');
  const id = hasAnchor ? (readId(props) ?? page.id(page.text(props.title))) : readId(props);
  if (hasAnchor && id !== null) page.toc({ depth: DEPTHS[size], id, html: withoutLinks(title) });
  const icon = readIcon(props, page, { size: 14 });
  // A list inside a step starts at one again.
  const body = nesting.within(page, { count: 0, titleSize: size }, () => page.html(children));
  return [
    `<div${classAttribute(props, 'step')} role="listitem">`,
    `<div class="step-number" data-component-part="step-number"${icon === '' ? '' : ' aria-hidden="true"'}>${icon === '' ? number : icon}</div>`,
    '<div class="step-body">',
    title === ''
      ? ''
      : `<${size}${attribute('id', id)} class="step-title" data-component-part="step-title">${title}</${size}>`,
    `<div class="step-content" data-component-part="step-content">${body}</div>`,
    '</div></div>',
  ].join('');
};

function readTitleSize(written: string | null, fallback: TitleSize): TitleSize {
  return written === 'p' || written === 'h2' || written === 'h3' || written === 'h4' ? written : fallback;
}
