/* Values with which a signed-in reader starts. They stay in the memory of the page. */

/** What the site knows of the reader, by place and name; null where nobody has signed in, as in files. */
export async function readerInputs() {
  if (!/(?:^|; )(?:__Host-)?offprint_signed_in=1(?:;|$)/.test(document.cookie)) return null;
  const { base = '' } = document.documentElement.dataset;
  try {
    const response = await fetch(`${base}_offprint/reader.json`, { cache: 'no-store' });
    const { apiPlaygroundInputs = {} } = response.ok ? await response.json() : {};
    return apiPlaygroundInputs;
  } catch {
    return null;
  }
}

/** The own text or number at a place and name; undefined for anything else. */
export function inputOf(inputs, place, name) {
  const values = Object.hasOwn(inputs, place) ? inputs[place] : undefined;
  if (typeof values !== 'object' || values === null) return undefined;
  // Names of headers have no case.
  const key = Object.keys(values).find(
    (one) => one === name || (place === 'header' && one.toLowerCase() === name.toLowerCase()),
  );
  const value = key === undefined ? undefined : values[key];
  return ['string', 'number', 'boolean'].includes(typeof value) ? value : undefined;
}
