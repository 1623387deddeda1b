/** Options of a fence's info string after the language. */
export interface FenceMeta {
  /** File name or label; null without one. */
  title: string | null;
  /** Icon name as written. */
  icon: string | null;
  /** Show line numbers. */
  lines: boolean;
  /** 1-based numbers of highlighted lines, as [first, last] ranges in order. */
  highlight: readonly (readonly [number, number])[];
  /** 1-based ranges kept sharp while the others fade; empty = all. */
  focus: readonly (readonly [number, number])[];
  wrap: boolean;
  expandable: boolean;
  nocopy: boolean;
}

/** Reads what follows the language in a fence's info string. Never throws; unknown options are dropped. */
export function parseFenceMeta(_meta: string | null): FenceMeta {
  return {
    title: null,
    icon: null,
    lines: false,
    highlight: [],
    focus: [],
    wrap: false,
    expandable: false,
    nocopy: false,
  };
}

/** HTML of a code block: header, highlighted lines, copy button. */
export function renderCode(code: string, _lang: string | null, _meta: string | null): string {
  return `<pre><code>${code.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</code></pre>`;
}
