/** Files of the sizes that large sites have. */

/** A docs.json of 2.4 MB: 12,500 redirects. */
export function largeConfig(navigation: object): string {
  const text = 'moved-with-the-product-in-an-earlier-year/and-its-chapter';
  const redirects = Array.from({ length: 12_500 }, (_, index) => ({
    source: `/earlier/${text}/page-${index}`,
    destination: `https://example.com/archive/${text}/page-${index}`,
  }));
  const config = { theme: 'mint', name: 'Acme', colors: { primary: '#0f766e' }, navigation, redirects };
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** An OpenAPI description of 13 MB: operations `GET /things/0` to `GET /things/7999`. */
export function largeDescription(): string {
  const properties = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [
      `field${index}`,
      { type: 'string', description: 'A field of the thing, with a few words on what it is for.' },
    ]),
  );
  const schema = { type: 'object', properties };
  const responses = { 200: { description: 'The thing', content: { 'application/json': { schema } } } };
  const paths = Object.fromEntries(
    Array.from({ length: 8_000 }, (_, index) => [
      `/things/${index}`,
      { get: { operationId: `get${index}`, responses } },
    ]),
  );
  return JSON.stringify({ openapi: '3.1.0', info: { title: 'Acme', version: '1' }, paths });
}
