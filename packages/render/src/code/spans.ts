/**
 * Classes of highlighted code, at most one per character. `code.css` defines their colors; punctuation
 * and ordinary names have none and need no element.
 */
export const TOKEN_CLASSES = {
  keyword: 'tk',
  string: 'ts',
  comment: 'tc',
  number: 'tn',
  function: 'tf',
  type: 'tt',
  property: 'tp',
  builtin: 'tv',
  special: 'tr',
  heading: 'th',
  link: 'tl',
  inserted: 'ti',
  deleted: 'td',
} as const;

export type TokenClass = (typeof TOKEN_CLASSES)[keyof typeof TOKEN_CLASSES];

/** A piece of the code in one class. Offsets in UTF-16 units; spans of a block are in order and apart. */
export interface Span {
  from: number;
  to: number;
  className: TokenClass;
}
