/* Which server receives the request. */
import { serverUrl } from '../../request/build.js';
import { make, row, select, textInput } from './dom.js';
import { inputOf } from './reader.js';

const OTHER = 'other';

/**
 * @param {any[]} servers
 * @param {{ words: any, changed: () => void, isSocket?: boolean }} context `isSocket`: URLs are of WebSockets
 * @returns {{ node: Node, read(): string, check(): any[], reset(): void, fillFor(given: any): void }}
 */
export function makeServer(servers, { words, changed, isSocket = false }) {
  const scheme = isSocket ? 'wss' : 'https';
  const valid = isSocket ? /^wss?:\/\/[^/]/i : /^https?:\/\/[^/]/i;

  const variables = make('div', { class: 'op-pg-group op-pg-root' });
  const other = textInput({ placeholder: `${scheme}://api.example.com`, inputmode: 'url', oninput: changed });
  const otherRow = row(words.serverUrl, other, { words, isCode: false });
  const pairs = servers.map(({ url, description }, at) => [
    String(at),
    description === null ? url : `${url} – ${description.slice(0, 80)}`,
  ]);
  const menu = select([...pairs, [OTHER, words.serverOther]], {
    'aria-label': words.server,
    onchange: () => {
      show();
      changed();
    },
  });
  let inputs = new Map();
  const show = () => {
    const server = servers[Number(menu.value)];
    otherRow.node.hidden = server !== undefined;
    inputs = new Map();
    variables.replaceChildren(
      ...(server?.variables ?? []).map((variable) => {
        const input =
          variable.values.length > 0
            ? select(
                variable.values.map((value) => [value, value]),
                { onchange: changed },
              )
            : textInput({ oninput: changed });
        input.value = variable.default;
        inputs.set(variable.name, input);
        return row(variable.name, input, { hint: variable.description, words }).node;
      }),
    );
  };
  const reset = () => {
    menu.value = servers.length === 0 ? OTHER : '0';
    other.value = '';
    show();
  };
  reset();
  const read = () => {
    const server = servers[Number(menu.value)];
    const url =
      server === undefined
        ? other.value.trim()
        : serverUrl(server, Object.fromEntries([...inputs].map(([name, { value }]) => [name, value])));
    return absolute(url);
  };
  return {
    node: make('div', { class: 'op-pg-group op-pg-root' }, menu, variables, otherRow.node),
    read,
    reset,
    fillFor(given) {
      for (const [name, input] of inputs) {
        const value = inputOf(given, 'server', name);
        const isAllowed = input.tagName !== 'SELECT' || [...input.options].some((one) => one.value === value);
        if (value !== undefined && isAllowed) input.value = String(value);
      }
    },
    check() {
      const isValid = valid.test(read());
      const isShown = menu.value === OTHER;
      otherRow.showError(isValid || !isShown ? null : isSocket ? words.socketUrl : words.serverMissing);
      return isValid ? [] : [{ name: words.server, kind: 'invalid', target: isShown ? other : menu }];
    },
  };
}

/** A relative URL of a server belongs to the site. */
function absolute(url) {
  if (url === '' || /^[a-z][a-z\d+.-]*:/i.test(url) || !location.protocol.startsWith('http')) return url;
  return new URL(url, location.href).href.replace(/\/$/, '');
}
