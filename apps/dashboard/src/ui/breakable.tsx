import { Fragment } from 'react';

/** An email address, host name or path: a line breaks after its signs, and inside of a word only if the word is too long. */
export function Breakable({ text }: { text: string }) {
  return (
    <span className="break-words">
      {[...text.matchAll(/[^@._/:-]*[@._/:-]?/g)].map(({ 0: part, index }) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
}
