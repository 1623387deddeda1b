import type { Props, Value } from '../../tree.ts';
import { styleText } from '../guard/style.ts';
import { looksLikeCode } from './code-classes.ts';

/** Classes of Tailwind CSS and of the usual highlighters, and classes with a part that names code. */
const codeClass =
  /(?:^|\s)(?:whitespace-pre|language-\S+|hljs|highlight|codehilite)(?=\s|$)|(?:^|[\s:['_-])(?:mono|monospace|code|codeblock|terminal|cmd)(?=[\s\]',_-]|$)/;
const camelCase = /([a-z\d])([A-Z])/g;

/** Whether an author gives an element the look of code: its text stays as typed. */
export function isMarkedAsCode(props: Props, classes: ReadonlySet<string>): boolean {
  const { face } = props;
  return (
    hasCodeClass(props.className ?? props.class, classes) ||
    (props.style !== undefined && looksLikeCode(styleText(props.style))) ||
    (typeof face === 'string' && /mono|courier/i.test(face))
  );
}

function hasCodeClass(written: Value, classes: ReadonlySet<string>): boolean {
  if (typeof written !== 'string' || written === '' || written.length >= 5000) return false;
  if (codeClass.test(written.replace(camelCase, '$1-$2').toLowerCase())) return true;
  return classes.size > 0 && written.split(/\s+/).some((name) => classes.has(name));
}
