import { describe, expect, test } from 'vitest';
import { renderBody } from '../../../test/mdx-page.ts';

const shown = (expression: string) => {
  const { html, warnings } = renderBody(`{${expression}}\n`);
  return { text: html.replace(/<[^>]*>/g, ''), codes: warnings.map(({ code }) => code) };
};

describe('numbers in the form of an English locale', () => {
  test.each<[number, Intl.NumberFormatOptions]>([
    [0, {}],
    [1234.5678, {}],
    [-1234567, {}],
    [0.0027, { minimumFractionDigits: 4 }],
    [2.5, { maximumFractionDigits: 0 }],
    [1200, { style: 'currency', currency: 'USD' }],
    [-0.05, { style: 'currency', currency: 'EUR', minimumFractionDigits: 4, maximumFractionDigits: 4 }],
    [1200, { style: 'currency', currency: 'JPY' }],
    [1200.5, { style: 'currency', currency: 'USD', maximumFractionDigits: 0 }],
    [0.256, { style: 'percent' }],
    [0.256, { style: 'percent', maximumFractionDigits: 1 }],
    [12345, { useGrouping: false }],
    [3, { minimumFractionDigits: 2 }],
  ])('%d with %j is as in browsers', (value, options) => {
    const expected = new Intl.NumberFormat('en-US', options).format(value);
    expect(shown(`(${value}).toLocaleString("en-US", ${JSON.stringify(options)})`)).toEqual({
      text: expected,
      codes: [],
    });
  });

  test.each([
    '(1).toLocaleString()',
    '(1).toLocaleString("de-DE")',
    '(1).toLocaleString("en-US", { notation: "compact" })',
    '(1).toLocaleString("en-US", { style: "currency", currency: "XXX" })',
    '(1e30).toLocaleString("en-US")',
    '(1).toLocaleString("en-US", { minimumFractionDigits: 5, maximumFractionDigits: 2 })',
  ])('another form is left to the browser: %s', (expression) => {
    expect(shown(expression).text).toBe('');
  });
});
