import { actionsPlacement } from '../../components/delegates.ts';
import { h, htmlOf } from '../../components/markup.ts';
import { readFlag, readText } from '../../components/schema.ts';
import type { Strings } from '../../theme/strings.ts';
import type { Props } from '../../tree.ts';

const DISPLAY = /(?:^|\s)((?:[a-z]+:)?(?:hidden|block|inline|inline-block))(?=\s|$)/g;

/** ` data-nozoom` of an image that stays as it is. */
export function zoomAttribute(props: Props): string {
  return readFlag(props.noZoom) || readFlag(props.nozoom) ? ' data-nozoom' : '';
}

/** An image with the buttons that its `actions` prop asks for; without them the image alone. */
export function withImageActions(image: string, src: string, props: Props, strings: Strings): string {
  // A link to data would be a document of its own, with scripts where the data is SVG.
  const actions = readActions(props).filter((action) => action === 'copy' || !/^data:/i.test(src));
  if (actions.length === 0) return image;
  const placement = actionsPlacement.read(props.actionsPlacement) ?? 'bottom-center';
  // Pairs for light and dark pages are shown by their classes; the box around them follows.
  const own = readText(props.className) ?? readText(props.class) ?? '';
  const display = [...own.matchAll(DISPLAY)].map((match) => match[1]).join(' ');
  const buttons = actions.map((action) =>
    action === 'copy'
      ? h('button', {
          type: 'button',
          class: 'op-image-action op-image-copy',
          'data-op-copy-image': true,
          'aria-label': strings.copyImage,
        })
      : h('a', {
          class: 'op-image-action op-image-download',
          href: src,
          download: true,
          'aria-label': strings.downloadImage,
        }),
  );
  const bar = h('span', { class: 'op-image-actions', 'data-placement': placement }, buttons);
  return htmlOf(h('span', { class: `op-image-box ${display}`.trim() }, { html: image }, bar));
}

function readActions(props: Props): ('copy' | 'download')[] {
  if (readFlag(props.actions)) return ['copy', 'download'];
  const names = (readText(props.actions) ?? '').split(',').map((name) => name.trim());
  return (['copy', 'download'] as const).filter((name) => names.includes(name));
}
