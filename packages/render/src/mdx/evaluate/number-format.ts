import type { Value } from '../../tree.ts';
import { type BuiltIn, type Call, textOf } from './built-in.ts';
import { isRecord, Refusal } from './values.ts';

/** Currencies with their signs and usual digits, as in English of the United States. */
const CURRENCIES: ReadonlyMap<Value, { sign: string; digits: number }> = new Map(
  Object.entries({
    USD: '$',
    EUR: '€',
    GBP: '£',
    JPY: '¥',
    CNY: 'CN¥',
    KRW: '₩',
    INR: '₹',
    BRL: 'R$',
    CAD: 'CA$',
    AUD: 'A$',
    MXN: 'MX$',
  }).map(([code, sign]) => [code, { sign, digits: code === 'JPY' || code === 'KRW' ? 0 : 2 }]),
);
const OPTIONS = new Set([
  'style',
  'currency',
  'minimumFractionDigits',
  'maximumFractionDigits',
  'useGrouping',
]);
/** From here on, numbers are written with an exponent. */
const LARGE = 1e21;
const MAX_DIGITS = 20;

/**
 * The form of a number in English of the United States, made here: what the locale of a machine or of a reader gives is
 * for the browser.
 */
export const numberInLocale: BuiltIn<number> = { work: () => 40, run: format };

function format(call: Call<number>): string {
  const { owner, args } = call;
  const options = args[1] === undefined ? {} : args[1];
  if (!/^en(?:-US)?$/.test(textOf(call, 0, '')) || !isRecord(options) || !(Math.abs(owner) < LARGE / 100))
    throw refused(call);
  if (Object.keys(options).some((key) => !OPTIONS.has(key))) throw refused(call);
  const { style = 'decimal', useGrouping = true } = options;
  const currency = CURRENCIES.get(options.currency);
  if (
    typeof useGrouping !== 'boolean' ||
    !(style === 'decimal' || style === 'percent' || style === 'currency')
  )
    throw refused(call);
  if (style === 'currency' && currency === undefined) throw refused(call);
  const usual = style === 'currency' ? (currency?.digits ?? 2) : 0;
  const { min, max } = digitsOf(options, usual, style === 'decimal' ? 3 : usual, call);
  const text = withDigits(Math.abs(style === 'percent' ? owner * 100 : owner), min, max);
  const sign = owner < 0 || Object.is(owner, -0) ? '-' : '';
  const shown = useGrouping ? text.replace(/\B(?<!\.\d*)(?=(?:\d{3})+(?!\d))/g, ',') : text;
  return `${sign}${style === 'currency' ? (currency?.sign ?? '') : ''}${shown}${style === 'percent' ? '%' : ''}`;
}

function digitsOf(
  options: { [key: string]: Value },
  least: number,
  most: number,
  call: Call<number>,
): { min: number; max: number } {
  const { minimumFractionDigits: min, maximumFractionDigits: max } = options;
  const isValid = (value: Value): value is number | undefined =>
    value === undefined || (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_DIGITS);
  if (!isValid(min) || !isValid(max) || (min ?? 0) > (max ?? MAX_DIGITS)) throw refused(call);
  return { min: min ?? Math.min(least, max ?? least), max: max ?? Math.max(most, min ?? most) };
}

function withDigits(value: number, min: number, max: number): string {
  const [whole = '', fraction = ''] = value.toFixed(max).split('.');
  const kept = fraction.slice(0, min) + fraction.slice(min).replace(/0+$/, '');
  return kept === '' ? whole : `${whole}.${kept}`;
}

function refused({ offset }: Call<number>): Refusal {
  return new Refusal('client', 'a number in the form of a locale runs in the browser only', offset);
}
