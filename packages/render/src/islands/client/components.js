import { h, toChildArray } from 'preact';
import { useId, useState } from 'preact/hooks';
import { keep } from './kept.js';

/* Built-in components inside the components of a page: the same markup as in the pages, in small. */

let icons = {};

/** Adds SVG of icons by name. */
export function addIcons(more) {
  icons = { ...icons, ...more };
}

const named = (...classes) => classes.filter(Boolean).join(' ');
/* A part has its name as an attribute, and as a class with the prefix that our style sheets select. */
const part = (tag, name, children, rest) =>
  children === undefined || children === null || children === ''
    ? null
    : h(tag, { class: `op-${name}`, 'data-component-part': name, ...rest }, children);
/* The first class of a component is its public name; our style sheets select the one with the prefix. */
const own = ({ id, style, className, class: given }, name, ...looks) => ({
  id,
  style,
  class: named(name, name && `op-${name}`, ...looks, className ?? given),
});
const isExternal = (href) => typeof href === 'string' && /^[a-z]+:\/\//i.test(href);
const target = (href) => (isExternal(href) ? { target: '_blank', rel: 'noopener noreferrer' } : {});

function Icon({ icon, size = 16, color, className }) {
  if (icon && typeof icon === 'object') return h('span', { class: 'icon op-icon' }, icon);
  if (typeof icon !== 'string') return null;
  if (icon.includes('/') && !Object.hasOwn(icons, icon)) {
    return h('img', {
      class: named('icon op-icon', className),
      src: icon,
      alt: '',
      width: size,
      height: size,
    });
  }
  const svg = Object.hasOwn(icons, icon) ? icons[icon] : null;
  if (svg === null) return null;
  const box = { display: 'inline-flex', inlineSize: `${size}px`, blockSize: `${size}px`, color };
  return h('span', {
    class: named('icon op-icon', className),
    style: box,
    dangerouslySetInnerHTML: { __html: sized(svg, size) },
  });
}

const sized = (svg, size) =>
  svg.replace(/^<svg[^>]*>/, (tag) => tag.replace(/ (width|height)="\d+"/g, ` $1="${size}"`));
const iconOf = (icon, size, color) => (icon ? h(Icon, { icon, size, color }) : null);

function callout(kind, name) {
  return (props) => {
    const look = kind ?? (typeof props.type === 'string' ? props.type.toLowerCase() : null);
    const style = kind === null && props.color ? { '--hue': props.color, ...props.style } : props.style;
    const root = own({ ...props, style }, 'callout', look && `op-callout-${look}`);
    return h('div', { ...root, role: 'note', 'aria-label': name, 'data-callout-type': look ?? undefined }, [
      part('div', 'callout-icon', iconOf(props.icon ?? (look && `callout:${look}`), 18)),
      h('div', { class: 'op-callout-content', 'data-component-part': 'callout-content' }, [
        part('p', 'callout-title', props.title),
        props.children,
      ]),
    ]);
  };
}

function Card(props) {
  const { title, href, icon, color, img, cta, horizontal, disabled, arrow, children } = props;
  const link = href && !disabled ? { href, ...target(href) } : null;
  const label = link ? h('a', { ...link, class: 'op-card-cover' }, title) : title;
  const showsArrow = link !== null && (arrow === undefined ? isExternal(href) : String(arrow) === 'true');
  const look = [link && 'op-card-linked', horizontal && 'op-card-horizontal', disabled && 'op-card-disabled'];
  return h('div', { ...own(props, 'card', ...look), onClick: props.onClick }, [
    img && h('img', { class: 'op-card-image', src: img, alt: '', loading: 'lazy' }),
    showsArrow && h('span', { class: 'op-card-arrow', 'aria-hidden': 'true' }),
    h('div', { class: 'op-card-main', 'data-component-part': 'card-content-container' }, [
      part('div', 'card-icon', iconOf(icon, 24, color)),
      h('div', { class: 'op-card-text' }, [
        title && part('div', 'card-title', label),
        part('div', 'card-content', children),
        part('div', 'card-cta', cta),
      ]),
    ]),
  ]);
}

const grid =
  (...classes) =>
  (props) => {
    const count = Math.min(4, Math.max(1, Math.trunc(Number(props.cols)) || 2));
    return h('div', own(props, ...classes, `op-cols-${count}`), props.children);
  };

const box =
  (tag, ...classes) =>
  (props) =>
    h(tag, own(props, ...classes), props.children);

function Accordion(props) {
  const { title, description, icon, defaultOpen, children } = props;
  return h('details', { ...own(props, 'accordion'), open: Boolean(defaultOpen) }, [
    h('summary', { class: 'accordion-button' }, [
      part('span', 'accordion-icon', iconOf(icon, 16)),
      h('span', { class: 'op-accordion-head' }, [
        part('span', 'accordion-title', title),
        part('span', 'accordion-description', description),
      ]),
    ]),
    h('div', { class: 'op-accordion-content' }, children),
  ]);
}

function Expandable(props) {
  return h('details', { ...own(props, 'expandable'), open: Boolean(props.defaultOpen) }, [
    h('summary', { class: 'expandable-button' }, h('span', null, props.title)),
    h('div', { class: 'op-expandable-content' }, props.children),
  ]);
}

function Badge(props) {
  const { color = 'gray', size = 'md', shape, href, icon, children } = props;
  const outline = props.stroke || props.variant === 'outline';
  const classes = [
    `op-badge-${color}`,
    `op-badge-${size}`,
    shape === 'pill' && 'op-badge-pill',
    outline && 'op-badge-outline',
  ];
  const link = href ? { href, ...target(href) } : {};
  return h(href ? 'a' : 'span', { ...own(props, 'badge', ...classes), ...link }, [
    iconOf(icon, 12),
    children,
  ]);
}

function Frame(props) {
  return h('figure', own(props, 'frame'), [
    h('div', { class: 'op-frame-content' }, props.children),
    props.caption && h('figcaption', null, props.caption),
  ]);
}

function Steps(props) {
  const steps = toChildArray(props.children).filter((child) => child?.type !== undefined);
  const items = steps.map((child, at) =>
    h(child.type, { stepNumber: at + 1, ...child.props, key: child.key ?? at }),
  );
  return h('div', { ...own(props, 'steps'), role: 'list' }, items);
}

function Step(props) {
  return h('div', { ...own(props, 'step'), role: 'listitem' }, [
    h('div', { class: 'op-step-number' }, iconOf(props.icon, 14) ?? props.stepNumber),
    h('div', { class: 'op-step-line' }),
    h('div', { class: 'op-step-body' }, [
      part('p', 'step-title', props.title),
      h('div', { class: 'op-step-content' }, props.children),
    ]),
  ]);
}

function Tabs(props) {
  const tabs = toChildArray(props.children).filter((child) => child?.props?.title !== undefined);
  const [active, setActive] = useState(Math.min(tabs.length - 1, Number(props.defaultTabIndex) || 0));
  const id = useId();
  const buttons = tabs.map((tab, at) =>
    h(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `${id}-${at}`,
        'aria-controls': `${id}-${at}-panel`,
        class: 'op-tab-button',
        'data-component-part': 'tab-button',
        'data-active': at === active ? 'true' : undefined,
        'aria-selected': String(at === active),
        tabIndex: at === active ? 0 : -1,
        onClick: () => setActive(at),
        onKeyDown: (event) => {
          const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
          if (step === undefined) return;
          const next = (at + step + tabs.length) % tabs.length;
          setActive(next);
          event.currentTarget.parentElement.children[next].focus();
        },
      },
      [iconOf(tab.props.icon, 16), tab.props.title],
    ),
  );
  const panels = tabs.map((tab, at) =>
    h(
      'div',
      {
        class: 'op-tab-panel',
        role: 'tabpanel',
        id: `${id}-${at}-panel`,
        'aria-labelledby': `${id}-${at}`,
        'data-component-part': 'tab-content',
        hidden: at !== active,
      },
      tab.props.children,
    ),
  );
  return h('div', own(props, 'tabs'), [
    h('div', { class: 'op-tabs-list', role: 'tablist', 'data-component-part': 'tabs-list' }, buttons),
    panels,
  ]);
}

function CodeBlock({ children, filename }) {
  return h('div', { class: 'code-block op-code-block' }, [
    filename && h('div', { class: 'op-code-header' }, h('span', { class: 'code-title' }, filename)),
    h('pre', null, h('code', null, children)),
  ]);
}

function Tooltip({ tip, children }) {
  return h(
    'span',
    { class: 'tooltip op-tooltip' },
    h('abbr', { title: typeof tip === 'string' ? tip : undefined }, children),
  );
}

function Link(props) {
  return h('a', { ...props, ...target(props.href) });
}

function Heading({ level = 2, children, ...rest }) {
  const depth = Math.min(6, Math.max(1, Math.trunc(Number(level)) || 2));
  return h(`h${depth}`, rest, children);
}

const kinds = ['Note', 'Warning', 'Info', 'Tip', 'Check', 'Danger'];

const known = {
  ...Object.fromEntries(kinds.map((name) => [name, callout(name.toLowerCase(), name)])),
  Accordion,
  AccordionGroup: box('div', 'accordion-group'),
  Badge,
  Callout: callout(null),
  Card,
  CardGroup: grid('columns', 'card-group'),
  CodeBlock,
  Column: box('div', 'column'),
  Columns: grid('columns'),
  Expandable,
  Frame,
  Heading,
  Icon,
  Latex: box('code'),
  Link,
  MDX: ({ children }) => children,
  Step,
  Steps,
  Tab: ({ children }) => children,
  Tabs,
  Tooltip,
};

/** A component without a form of its own: what names it, and its content. */
function Plain(props) {
  const { title, label, name, path, query, body, header, children } = props;
  const shown = [title, label, name, path, query, body, header].find((it) => it && it !== true);
  return shown ? h('div', own(props), [h('strong', null, shown), ' ', children]) : Missing(props);
}

/** Shows its children; for names that have no other meaning here. */
export const Missing = (props) => props?.children ?? null;

const made = new Map();

/** A built-in component by name. */
export function builtIn(name) {
  if (!made.has(name)) {
    const isKnown = Object.hasOwn(known, name);
    const shown = keep(name, isKnown ? known[name] : Plain);
    const get = (from, key) => (/^[A-Z]/.test(String(key)) ? builtIn(`${name}.${key}`) : from[key]);
    made.set(name, isKnown ? shown : new Proxy(shown, { get }));
  }
  return made.get(name);
}
