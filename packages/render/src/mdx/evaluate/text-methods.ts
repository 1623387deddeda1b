import { spend, steps } from '../guard/work.ts';
import { type BuiltIn, type Call, nothing, numberOf, optionalNumber, table, textOf } from './built-in.ts';
import { concatenate, joinList } from './operators.ts';
import { maxLength, tooLong } from './values.ts';

type TextCall = Call<string>;
type TextMethod = BuiltIn<string>;

/** Pieces of a text that `split` gives at most. */
const maxPieces = 10_000;

function reads(run: (call: TextCall) => ReturnType<TextMethod['run']>): TextMethod {
  return { work: ({ owner }) => steps('read', owner.length), run };
}

function converts(run: (call: TextCall) => ReturnType<TextMethod['run']>): TextMethod {
  return { work: ({ owner }) => steps('convert', owner.length), run };
}

/** At worst, a search compares all of the searched text at each character. */
function searches(run: (call: TextCall, searched: string) => ReturnType<TextMethod['run']>): TextMethod {
  return {
    work: (call) => steps('read', call.owner.length * (1 + searchedText(call).length)),
    run: (call) => run(call, searchedText(call)),
  };
}

/** Compares at one place only. */
function compares(run: (call: TextCall, searched: string) => ReturnType<TextMethod['run']>): TextMethod {
  return {
    work: (call) => steps('read', searchedText(call).length),
    run: (call) => run(call, searchedText(call)),
  };
}

function searchedText(call: TextCall): string {
  return textOf(call, 0, '');
}

/** Takes a part, which shares its characters. */
function parts(run: (call: TextCall) => ReturnType<TextMethod['run']>): TextMethod {
  return { work: nothing, run };
}

export const textMethods = table<string>({
  toUpperCase: converts(({ owner }) => owner.toUpperCase()),
  toLowerCase: converts(({ owner }) => owner.toLowerCase()),
  trim: reads(({ owner }) => owner.trim()),
  trimStart: reads(({ owner }) => owner.trimStart()),
  trimEnd: reads(({ owner }) => owner.trimEnd()),
  toString: parts(({ owner }) => owner),
  split: searches((call, separator) =>
    call.args[0] === undefined ? [call.owner] : call.owner.split(separator, maxPieces),
  ),
  slice: parts((call) => call.owner.slice(optionalNumber(call, 0), optionalNumber(call, 1))),
  substring: parts((call) => call.owner.substring(numberOf(call, 0, 0), optionalNumber(call, 1))),
  replace: searches((call, searched) => call.owner.replace(searched, () => textOf(call, 1))),
  replaceAll: searches(replaceAll),
  includes: searches(({ owner }, searched) => owner.includes(searched)),
  startsWith: compares(({ owner }, searched) => owner.startsWith(searched)),
  endsWith: compares(({ owner }, searched) => owner.endsWith(searched)),
  indexOf: searches(({ owner }, searched) => owner.indexOf(searched)),
  lastIndexOf: searches(({ owner }, searched) => owner.lastIndexOf(searched)),
  charAt: parts((call) => call.owner.charAt(numberOf(call, 0, 0))),
  at: parts((call) => call.owner.at(numberOf(call, 0, 0))),
  charCodeAt: parts((call) => call.owner.charCodeAt(numberOf(call, 0, 0))),
  concat: parts(({ owner, args, meter, offset }) =>
    concatenate(owner, joinList(args, '', meter, offset), meter, offset),
  ),
  repeat: { work: (call) => steps('copy', repeatedLength(call)), run: repeat },
  padStart: pads((call, length, filler) => call.owner.padStart(length, filler)),
  padEnd: pads((call, length, filler) => call.owner.padEnd(length, filler)),
});

function replaceAll(call: TextCall, searched: string): string {
  const { owner, meter, offset } = call;
  const replacement = textOf(call, 1);
  const pieces = owner.split(searched);
  spend(meter, pieces.length, offset);
  if (owner.length + pieces.length * replacement.length > maxLength) throw tooLong(offset);
  return pieces.join(replacement);
}

function repeatedLength(call: TextCall): number {
  const count = numberOf(call, 0, 0);
  const length = call.owner.length * count;
  // Not a number, too.
  if (!(count >= 0 && length <= maxLength)) throw tooLong(call.offset);
  return length;
}

function repeat(call: TextCall): string {
  return call.owner === '' ? '' : call.owner.repeat(numberOf(call, 0, 0));
}

function pads(run: (call: TextCall, length: number, filler: string) => string): TextMethod {
  const lengthOf = (call: TextCall): number => Math.min(numberOf(call, 0, 0) || 0, maxLength);
  return {
    work: (call) => steps('copy', lengthOf(call)),
    run: (call) => run(call, lengthOf(call), textOf(call, 1, ' ')),
  };
}
