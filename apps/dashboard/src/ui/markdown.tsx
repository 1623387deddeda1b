import { Fragment, useMemo } from 'react';
import { ExternalLink, isWebAddress } from './external-link.tsx';
import { type Block, blocksOf, type Inline, inlinesOf } from './markdown-blocks.ts';

/** Characters that are parsed; longer text is shown as it is. */
const MAX_CHARACTERS = 30_000;

/**
 * Text of a model as Markdown. Everything becomes an element of React: HTML is shown as text, images as their
 * description, and only links to web pages are links, so no text can run or load anything.
 */
export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => (text.length > MAX_CHARACTERS ? null : blocksOf(text)), [text]);
  return (
    <div className="space-y-2 text-sm leading-6 [overflow-wrap:anywhere]">
      {blocks === null ? (
        <p className="whitespace-pre-wrap">{text}</p>
      ) : (
        blocks.map((block, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a block has no other name
          <BlockView key={index} block={block} />
        ))
      )}
    </div>
  );
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case 'heading':
      return (
        <p className="pt-1 font-semibold">
          <MarkdownLine text={block.text} />
        </p>
      );
    case 'paragraph':
      return (
        <p className="whitespace-pre-line">
          <MarkdownLine text={block.text} />
        </p>
      );
    case 'quote':
      return (
        <blockquote className="whitespace-pre-line border-s-2 ps-3 text-muted">
          <MarkdownLine text={block.text} />
        </blockquote>
      );
    case 'code':
      return (
        <pre className="whitespace-pre-wrap rounded-control bg-sunken p-3 font-mono text-xs leading-5">
          {block.text}
        </pre>
      );
    case 'rule':
      return <hr />;
    case 'list': {
      const items = block.items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item has no other name
        <li key={index} className="whitespace-pre-line">
          <MarkdownLine text={item} />
        </li>
      ));
      return block.isOrdered ? (
        <ol start={block.start} className="list-decimal space-y-1 ps-6">
          {items}
        </ol>
      ) : (
        <ul className="list-disc space-y-1 ps-5">{items}</ul>
      );
    }
  }
}

/** One line of Markdown, within another element. */
export function MarkdownLine({ text }: { text: string }) {
  return inlinesOf(text).map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a piece has no other name
    <Fragment key={index}>
      <InlineView piece={piece} />
    </Fragment>
  ));
}

function InlineView({ piece }: { piece: Inline }) {
  switch (piece.kind) {
    case 'text':
      return piece.text;
    case 'code':
      return <code>{piece.text}</code>;
    case 'strong':
      return <strong className="font-semibold">{piece.text}</strong>;
    case 'emphasis':
      return <em>{piece.text}</em>;
    case 'image':
      return `[Image: ${piece.text}]`;
    case 'link':
      return isWebAddress(piece.href) ? (
        <ExternalLink href={piece.href}>{piece.text}</ExternalLink>
      ) : (
        <>
          {piece.text} <code>{piece.href}</code>
        </>
      );
  }
}
