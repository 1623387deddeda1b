import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousFindings } from '../../../../test/support/axe.ts';
import { launchBrowser } from '../../../../test/support/browser.ts';
import { renderFiles } from '../../test/output.ts';

const OPERATION = 'api-reference/orders/read-an-order';

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: 'string' };

/** More fields than a page shows in place, then two levels of named schemas, one of which leads back to itself. */
const description = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1' },
  paths: {
    '/orders/{id}': {
      get: {
        summary: 'Read an order',
        tags: ['orders'],
        responses: {
          200: { description: 'The order.', content: { 'application/json': { schema: reference('Order') } } },
        },
      },
    },
  },
  components: {
    schemas: {
      Order: {
        type: 'object',
        properties: {
          ...Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`field${at}`, text])),
          buyer: reference('Customer'),
          payer: reference('Customer'),
        },
      },
      Customer: {
        type: 'object',
        properties: {
          name: { ...text, description: 'See [the index](/index) for **names**.' },
          parent: reference('Customer'),
          payment: {
            oneOf: [
              { title: 'Card', type: 'object', properties: { number: text } },
              { title: 'Account', type: 'object', properties: { iban: text } },
            ],
          },
          address: reference('Address'),
        },
      },
      // No browser can parse the port of this link; the fields around it are shown all the same.
      Address: {
        type: 'object',
        properties: { city: { ...text, description: 'As in [the list](https://example.com:99999).' } },
      },
    },
  },
};

let browser: Browser;
let folder: string;

beforeAll(async () => {
  const { files } = await renderFiles({
    'docs.json': JSON.stringify({
      name: 'Orders',
      navigation: { pages: ['index', { group: 'API', openapi: 'api.json' }] },
    }),
    'index.mdx': 'Words.',
    'api.json': JSON.stringify(description),
  });
  folder = mkdtempSync(join(tmpdir(), 'offprint-fields-'));
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(hash: string, javaScriptEnabled = true): Promise<{ page: Page; requests: string[] }> {
  const context = await browser.newContext({ javaScriptEnabled });
  const page = await context.newPage();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`${pathToFileURL(join(folder, `${OPERATION}.html`)).href}${hash}`);
  return { page, requests };
}

const fieldOf = (page: Page, id: string) => page.locator(`[id="${id}"]`);

test('fields beyond those of the page open in place, from a file, with ids of this page', async () => {
  const { page, requests } = await open('');
  expect(requests.filter((url) => url.includes('/schemas/'))).toEqual([]);
  const buyer = fieldOf(page, 'response-body-buyer-fields');
  await buyer.locator('> summary').focus();
  await page.keyboard.press('Enter');
  await fieldOf(page, 'response-body-buyer-name').waitFor();
  expect(await fieldOf(page, 'response-body-buyer-name').innerText()).toContain('See the index for names.');
  expect(await buyer.getByRole('link', { name: 'the index' }).getAttribute('href')).toBe(
    pathToFileURL(join(folder, 'index.html')).href,
  );
  // A circle leads to the field that is around it.
  expect(await buyer.getByRole('link', { name: 'Customer' }).getAttribute('href')).toBe(
    '#response-body-buyer',
  );
  await buyer.getByRole('tab', { name: 'Account' }).click();
  expect(await buyer.getByText('iban').isVisible()).toBe(true);

  await fieldOf(page, 'response-body-payer-fields').locator('> summary').click();
  await fieldOf(page, 'response-body-payer-name').waitFor();
  const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id));
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  expect(requests.filter((url) => url.endsWith('/schemas/customer.js'))).toHaveLength(2);
  expect(await seriousFindings(page)).toEqual([]);
  await page.context().close();
});

test('the URL of a nested field opens what is around it', async () => {
  const { page } = await open('#response-body-payer-address-city');
  const city = fieldOf(page, 'response-body-payer-address-city');
  await city.waitFor();
  await expect.poll(() => city.isVisible()).toBe(true);
  await expect
    .poll(() => city.evaluate((element) => element.getBoundingClientRect().top < innerHeight))
    .toBe(true);
  expect(await fieldOf(page, 'response-body-buyer-name').count()).toBe(0);
  await page.context().close();
});

test('without JavaScript, the disclosure leads to the page of the schema', async () => {
  const { page } = await open('', false);
  const buyer = fieldOf(page, 'response-body-buyer-fields');
  await buyer.locator('> summary').click();
  await buyer.getByRole('link', { name: 'Customer' }).click();
  expect(page.url()).toContain('/schemas/customer.html');
  expect(await page.locator('h1').innerText()).toBe('Customer');
  await page.context().close();
});

test('a script that does not load leaves the link', async () => {
  const { page } = await open('');
  rmSync(join(folder, 'api-reference/schemas/customer.js'));
  const buyer = fieldOf(page, 'response-body-buyer-fields');
  await buyer.locator('> summary').click();
  await expect.poll(() => buyer.locator('[aria-busy]').count()).toBe(0);
  expect(await buyer.getByRole('link', { name: 'Customer' }).isVisible()).toBe(true);
  await page.context().close();
});
