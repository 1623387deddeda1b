import type { Props, Value } from '../../tree.ts';
import { styleText } from '../guard/style.ts';

/** Classes of Tailwind CSS and of the usual highlighters. */
const codeClass =
  /(?:^|\s)(?:font-mono|font-code|whitespace-pre|language-\S+|hljs|highlight|codehilite|monospace|code)(?=\s|$)/;
const codeStyle = /font(?:-family)?:[^;]*(?:mono|courier|menlo|consolas)|white-space:\s*pre(?:\s*$|\s*;)/i;

/** Whether an author gives an element the look of code: its text stays as typed. */
export function isMarkedAsCode(props: Props): boolean {
  const { face } = props;
  return (
    hasCodeClass(props.className ?? props.class) ||
    (props.style !== undefined && codeStyle.test(styleText(props.style))) ||
    (typeof face === 'string' && /mono|courier/i.test(face))
  );
}

function hasCodeClass(written: Value): boolean {
  return typeof written === 'string' && written.length < 5000 && codeClass.test(written);
}
