/* What readers enter as credentials is not written into the page: its samples have placeholders. */
import { absoluteServer, exampleCredentials } from '../../request/build.js';
import { isObject } from './json.js';

/** Names of parameters and properties that contain credentials although no scheme describes them. */
const SECRET = /(?:authorization|secret|password|api[-_]?key|(?:access|auth|refresh)[-_]?token)$/i;

/**
 * Values of a request without its secrets.
 * @param {{ parameters: any[], bodies: any[] }} form
 * @param {any} values
 * @param {any[]} schemes the schemes in use
 */
export function withoutSecrets({ parameters, bodies }, values, schemes) {
  const fields = new Map(parameters.map((one) => [`${one.in}:${one.name}`, one]));
  const masked = Object.entries(values.parameters).map(([id, value]) => {
    const { name, field, in: place } = fields.get(id);
    const placeholder = place === 'header' ? '<secret>' : 'YOUR_SECRET';
    return [id, mask(name, field, value, placeholder)];
  });
  const { body } = values;
  const described = bodies.find(({ type }) => type === body?.type);
  return {
    ...values,
    server: absoluteServer(values.server.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, '$1')),
    parameters: Object.fromEntries(masked),
    body: body === null ? null : { ...body, value: mask('', described?.field, body.value, '<secret>') },
    credentials: exampleCredentials([schemes], false),
  };
}

/** A value of any shape; `field` is undefined where the description says nothing. */
function mask(name, field, value, placeholder) {
  if (Array.isArray(value)) return value.map((one) => mask(name, field?.items, one, placeholder));
  if (isObject(value)) {
    const properties = new Map((field?.properties ?? []).map((one) => [one.name, one.field]));
    const result = {};
    for (const [key, one] of Object.entries(value)) {
      const own = mask(key, properties.get(key), one, placeholder);
      Object.defineProperty(result, key, { value: own, enumerable: true });
    }
    return result;
  }
  const isSecret = field?.format === 'password' || SECRET.test(name);
  return isSecret && typeof value === 'string' ? placeholder : value;
}
