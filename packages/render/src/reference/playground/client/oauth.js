/* Tokens by OAuth 2.0: the flows that a page can run by itself. */
import { fill } from './dom.js';

const CHANNEL = 'offprint-oauth';
/** Start of the `state` of a sign-in, by which the page knows that it has to end one. */
const STATE = 'offprint-';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** URLs come from descriptions and servers: nothing but HTTP is opened or requested. */
export const isHttp = (url) => /^https?:\/\//i.test(url ?? '');

const base64Url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const randomText = () => base64Url(crypto.getRandomValues(new Uint8Array(32)));

/**
 * @typedef {{ authorizationUrl: string | null, tokenUrl: string | null, deviceAuthorizationUrl: string | null }} Endpoints
 * @typedef {{ kind: string, clientId: string, clientSecret: string, secretIn: 'body' | 'header', scopes: string[],
 *   user: string, password: string, redirectUri: string, signal: AbortSignal, words: any,
 *   showNote: (text: string) => void, showCode: (url: string, code: string) => void }} Request
 */

/**
 * Runs a flow.
 * @param {() => Promise<Endpoints>} findEndpoints
 * @param {Request} request
 * @returns {Promise<{ token: string, seconds: number | null }>}
 */
export async function getToken(findEndpoints, request) {
  const { kind, words } = request;
  const isInPopup = kind === 'authorizationCode' || kind === 'implicit';
  // Opened at once: browsers allow windows only as a direct reaction to a click.
  const popup = isInPopup ? window.open('', '_blank', 'popup,width=520,height=680') : null;
  if (isInPopup && popup === null) throw new Error(words.signInPopup);
  try {
    const endpoints = await findEndpoints();
    if (isInPopup) return await signIn(popup, endpoints, request);
    if (kind === 'deviceAuthorization') return await useDevice(endpoints, request);
    const fields =
      kind === 'password'
        ? { grant_type: 'password', username: request.user, password: request.password }
        : { grant_type: 'client_credentials' };
    return readToken(await post(endpoints.tokenUrl, { ...fields, ...scopeOf(request) }, request));
  } finally {
    popup?.close();
  }
}

const scopeOf = ({ scopes }) => (scopes.length > 0 ? { scope: scopes.join(' ') } : {});

/** Endpoints of an OpenID provider. */
export async function discover(url, request) {
  const found = await ask(url, { headers: { accept: 'application/json' } }, request);
  return {
    authorizationUrl: found.authorization_endpoint ?? null,
    tokenUrl: found.token_endpoint ?? null,
    deviceAuthorizationUrl: found.device_authorization_endpoint ?? null,
  };
}

async function signIn(popup, { authorizationUrl, tokenUrl }, request) {
  const { kind, clientId, redirectUri, words, showNote } = request;
  if (!isHttp(authorizationUrl)) throw new Error(words.signInUrl);
  const state = STATE + randomText();
  const verifier = randomText();
  const url = new URL(authorizationUrl);
  const fields = {
    response_type: kind === 'implicit' ? 'token' : 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    ...scopeOf(request),
    ...(kind === 'implicit' ? {} : await challengeOf(verifier)),
  };
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  showNote(words.signInWait);
  // The provider gets no access to this page.
  popup.opener = null;
  popup.location.href = url.href;
  const result = await returnOf(state, request);
  if (result.error !== undefined) throw new Error(result.error_description ?? result.error);
  if (kind === 'implicit') return readToken(result);
  const grant = { grant_type: 'authorization_code', code: result.code, redirect_uri: redirectUri };
  return readToken(await post(tokenUrl, { ...grant, code_verifier: verifier }, request));
}

async function challengeOf(verifier) {
  // Only pages of https and of the same machine have it.
  if (crypto.subtle === undefined) return { code_challenge: verifier, code_challenge_method: 'plain' };
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return { code_challenge: base64Url(new Uint8Array(digest)), code_challenge_method: 'S256' };
}

/** Parameters with which the provider returns to the page in the popup. The window of the popup may be cut off from this one. */
function returnOf(state, { signal }) {
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(CHANNEL);
    const end = (act) => (value) => {
      channel.close();
      act(value);
    };
    channel.onmessage = ({ data }) => data?.state === state && end(resolve)(data);
    signal.addEventListener('abort', () => end(reject)(signal.reason));
  });
}

async function useDevice({ deviceAuthorizationUrl, tokenUrl }, request) {
  const { signal, showCode, words } = request;
  const grant = await post(deviceAuthorizationUrl, scopeOf(request), request);
  const url = grant.verification_uri_complete ?? grant.verification_uri;
  if (!isHttp(url)) throw new Error(words.signInUrl);
  showCode(url, String(grant.user_code));
  let wait = Math.max(Number(grant.interval) || 5, 1);
  for (;;) {
    await pause(wait * 1000, signal);
    const fields = { grant_type: DEVICE_GRANT, device_code: grant.device_code };
    const result = await post(tokenUrl, fields, request, true);
    if (result.error === undefined) return readToken(result);
    if (result.error === 'slow_down') wait += 5;
    else if (result.error !== 'authorization_pending')
      throw new Error(result.error_description ?? result.error);
  }
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** Posts fields with the identity of the client. `canFail`: returns errors of the provider instead of throwing them. */
function post(url, fields, request, canFail = false) {
  const { clientId, clientSecret, secretIn } = request;
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const body = new URLSearchParams(fields);
  if (clientSecret !== '' && secretIn === 'header') {
    const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
    headers.authorization = `Basic ${btoa(pair)}`;
  } else {
    body.set('client_id', clientId);
    if (clientSecret !== '') body.set('client_secret', clientSecret);
  }
  return ask(url, { method: 'POST', headers, body: body.toString() }, request, canFail);
}

async function ask(url, init, { signal, words }, canFail = false) {
  if (!isHttp(url)) throw new Error(words.signInUrl);
  let response;
  try {
    response = await fetch(url, { ...init, signal, credentials: 'omit' });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Error(fill(words.signInNetwork, { url, origin: location.origin }));
  }
  const text = await response.text();
  let data = {};
  try {
    data = JSON.parse(text);
  } catch {
    // Some providers respond with fields of a form.
    data = Object.fromEntries(new URLSearchParams(text));
  }
  const isError = !response.ok || data?.error !== undefined;
  if (!isError || (canFail && data?.error !== undefined)) return data;
  throw new Error(data?.error_description ?? data?.error ?? `${response.status} ${response.statusText}`);
}

function readToken(data) {
  if (typeof data.access_token !== 'string') throw new Error('access_token');
  const seconds = Number(data.expires_in);
  return { token: data.access_token, seconds: seconds > 0 ? seconds : null };
}

/** The provider of a sign-in leads back to the page of the form, in a popup: the page that opened it waits for the result. */
export function endSignIn() {
  const returned = new URLSearchParams(`${location.search}&${location.hash.slice(1)}`);
  if (location.protocol === 'file:' || !returned.get('state')?.startsWith(STATE)) return;
  history.replaceState(null, '', location.pathname);
  new BroadcastChannel(CHANNEL).postMessage(Object.fromEntries(returned));
  setTimeout(() => window.close(), 50);
}
