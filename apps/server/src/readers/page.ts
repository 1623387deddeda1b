import { createHash } from 'node:crypto';

/** A page of the sign-in. It loads nothing, and works without scripts, except where a token is in the fragment. */
export interface SignInPage {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const STYLE = `:root{color-scheme:light dark;--text:light-dark(#18181b,#e9e9ec);--muted:light-dark(#565661,#a6a6b0);--line:light-dark(#8a8a94,#7d7d88);--bg:light-dark(#fafafa,#131316);--card:light-dark(#fff,#1a1a1e);--primary:light-dark(#0f766e,#2dd4bf);--on:light-dark(#fff,#062925);--danger:light-dark(#b42332,#ff8088)}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.25rem;background:var(--bg);color:var(--text);font:1rem/1.55 system-ui,sans-serif}
main{width:100%;max-width:24rem;padding:2rem;border-radius:16px;background:var(--card);box-shadow:0 8px 28px light-dark(rgb(0 0 0/.08),rgb(0 0 0/.5))}
h1{margin:0 0 .25rem;font-size:1.35rem;line-height:1.3}
p{margin:0 0 1rem;color:var(--muted);overflow-wrap:anywhere}
label{display:block;margin:1.25rem 0 .375rem;font-weight:600}
input{width:100%;padding:.625rem .75rem;border:1px solid var(--line);border-radius:8px;background:transparent;color:inherit;font:inherit}
input[aria-invalid=true]{border-color:var(--danger)}
button,.button{display:block;width:100%;margin-top:1rem;padding:.625rem .75rem;border:0;border-radius:8px;background:var(--primary);color:var(--on);font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
.quiet{border:1px solid var(--line);background:transparent;color:inherit}
strong{color:var(--text)}
:focus-visible{outline:3px solid var(--primary);outline-offset:2px}
.error{margin:.5rem 0 0;color:var(--danger)}
ul{list-style:none;margin:0;padding:0}
main>:last-child{margin-bottom:0}`;

/** Posts the token of the fragment, which browsers send to no server, and removes it from the history. */
const TOKEN_SCRIPT = `const form=document.forms[0];form.elements.token.value=location.hash.slice(1);form.elements.redirect.value=new URLSearchParams(location.search).get('redirect')||'';history.replaceState(null,'',location.pathname);form.submit()`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const POLICY = `default-src 'none'; style-src ${hashOf(STYLE)}; base-uri 'none'; frame-ancestors 'none'; form-action 'self'`;
/** Browsers apply `form-action` to redirects after a form, too. It has no syntax for addresses of IPv6. */
const consentPolicy = ({ hostname, origin }: URL): string =>
  `${POLICY} ${hostname.startsWith('[') ? 'http:' : origin}`;
const TOKEN_POLICY = `${POLICY}; script-src ${hashOf(TOKEN_SCRIPT)}`;

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'private, no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  // With no-referrer, browsers would send forms without the origin that shows that they are of this site.
  'Referrer-Policy': 'same-origin',
};

interface Options {
  status?: number;
  headers?: Record<string, string>;
  policy?: string;
}

function page(host: string, title: string, content: string, options: Options = {}): SignInPage {
  const { status = 200, headers = {}, policy = POLICY } = options;
  return {
    status,
    headers: { ...HEADERS, 'Content-Security-Policy': policy, ...headers },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} - ${escapeHtml(host)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`,
  };
}

/**
 * The form for the password of the site. `error`: why the last try failed. Password managers store the password under
 * the user name, which nobody sees.
 */
export function passwordPage(
  host: string,
  form: { action: string; next: string; error?: string },
  options: Options = {},
): SignInPage {
  const { action, next, error } = form;
  const described = error === undefined ? '' : ' aria-invalid="true" aria-describedby="error"';
  const alert =
    error === undefined ? '' : `<p class="error" id="error" role="alert">${escapeHtml(error)}</p>\n`;
  return page(
    host,
    'Sign in',
    `<p>${escapeHtml(host)} is protected by a password.</p>
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="next" value="${escapeHtml(next)}">
<input name="username" autocomplete="username" value="${escapeHtml(host)}" hidden>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="200" required autofocus${described}>
${alert}<button>Sign in</button>
</form>`,
    options,
  );
}

/** A choice of logins. */
export function loginsPage(host: string, logins: readonly { name: string; url: string }[]): SignInPage {
  const items = logins.map(
    ({ name, url }) => `<li><a class="button" href="${escapeHtml(url)}">${escapeHtml(name)}</a></li>`,
  );
  return page(
    host,
    'Sign in',
    `<p>Choose how to sign in to ${escapeHtml(host)}.</p>\n<ul>\n${items.join('\n')}\n</ul>`,
  );
}

/** A sentence, with a link onward if there is one. */
export function messagePage(
  host: string,
  title: string,
  text: string,
  link?: { href: string; text: string },
  options: Options = {},
): SignInPage {
  const onward =
    link === undefined
      ? ''
      : `\n<a class="button" href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a>`;
  return page(
    host,
    title,
    `<p role="${options.status === undefined ? 'status' : 'alert'}">${escapeHtml(text)}</p>${onward}`,
    options,
  );
}

/** Takes the token that the login of the team has put into the fragment. */
export function tokenPage(host: string, action: string): SignInPage {
  return page(
    host,
    'Signing in',
    `<p role="status">One moment.</p>
<noscript><p class="error">Your browser runs no scripts, so it cannot pass on the token of your login.</p></noscript>
<form method="post" action="${escapeHtml(action)}"><input type="hidden" name="token"><input type="hidden" name="redirect"></form>
<script>${TOKEN_SCRIPT}</script>`,
    { policy: TOKEN_POLICY },
  );
}

/**
 * Asks a reader whether a client may read the site for them. `name` is what the client calls itself, `redirect` where the
 * code goes, `request` what the form returns.
 */
export function consentPage(
  host: string,
  form: { action: string; request: string; name: string; redirect: URL },
): SignInPage {
  const { action, request, name, redirect } = form;
  const isHere = redirect.protocol === 'http:';
  const target = isHere
    ? `a program on this device (${redirect.host})`
    : `<strong>${escapeHtml(redirect.host)}</strong>`;
  return page(
    host,
    'Allow access?',
    `<p>An application that calls itself <strong>${escapeHtml(name)}</strong> wants to search and read ${escapeHtml(host)} with your access, for at most one hour.</p>
<p>The access goes to ${target}. Continue only if you have started this yourself.</p>
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="request" value="${escapeHtml(request)}">
<button name="decision" value="allow">Allow</button>
<button class="quiet" name="decision" value="deny">Cancel</button>
</form>`,
    { policy: consentPolicy(redirect) },
  );
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
