/**
 * The dashboard as somebody new uses it: a real browser and a fresh platform, a private repository over https, nothing
 * but the page and the keyboard, from the account to the bundle on disk. Then every page, light and dark, from wide to
 * very narrow. OFFPRINT_SCREENSHOTS names a folder for pictures of all of them.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildDashboard } from '../scripts/dashboard.mjs';
import { createJob, MODEL_ENV } from './acceptance/agent.ts';
import { call } from './acceptance/api.ts';
import { createPerson } from './support/accounts.ts';
import { seriousFindings } from './support/axe.ts';
import { launchBrowser } from './support/browser.ts';
import { hasOpenssl, makeCertificate } from './support/certificate.ts';
import { type GitServer, startGitServer } from './support/git-server.ts';
import { startTestPlatform, type TestPlatform } from './support/platform.ts';
import { noteSecrets } from './support/secrets.ts';

const DOCS = fileURLToPath(new URL('../docs', import.meta.url));
const DIST = fileURLToPath(new URL('../apps/dashboard/dist', import.meta.url));
const ROUTER = fileURLToPath(new URL('../apps/dashboard/src/router.tsx', import.meta.url));
const SCREENSHOTS = process.env.OFFPRINT_SCREENSHOTS;

const TOKEN = 'git-token-of-the-new-team';
const PASSWORD = 'seven quiet herons at dusk';
const DOMAIN = 'docs.acme.example';
const DOCS_URL = 'https://offprint-docs.example';

/** Pages by the path of their route in `router.tsx`: the address to open, and whether somebody is signed in there. */
const PAGES: Readonly<Record<string, { at: (ids: Ids) => string; signedIn: boolean }>> = {
  '/sign-in': { at: () => '/sign-in', signedIn: false },
  '/sign-up': { at: () => '/sign-up', signedIn: false },
  '/forgot-password': { at: () => '/forgot-password', signedIn: false },
  '/reset-password': { at: () => `/reset-password#token=${'x'.repeat(43)}`, signedIn: false },
  '/invitation': { at: () => `/invitation#token=${'x'.repeat(43)}`, signedIn: false },
  '/reader-sign-in': { at: () => '/reader-sign-in', signedIn: true },
  '/account': { at: () => '/account', signedIn: true },
  '/new-organization': { at: () => '/new-organization', signedIn: true },
  '/operator/organizations': { at: () => '/operator/organizations', signedIn: true },
  '/operator/users': { at: () => '/operator/users', signedIn: true },
  '/$organizationId': { at: ({ organization }) => `/${organization}`, signedIn: true },
  '/projects': { at: ({ organization }) => `/${organization}/projects`, signedIn: true },
  '/projects/new': { at: ({ organization }) => `/${organization}/projects/new`, signedIn: true },
  '/projects/$projectId': {
    at: ({ organization, project }) => `/${organization}/projects/${project}`,
    signedIn: true,
  },
  '/exports': { at: ({ organization }) => `/${organization}/exports`, signedIn: true },
  '/exports/$jobId': { at: ({ organization, job }) => `/${organization}/exports/${job}`, signedIn: true },
  '/agent': { at: ({ organization }) => `/${organization}/agent`, signedIn: true },
  '/agent/$projectId/$jobId': {
    at: ({ organization, project, agentJob }) => `/${organization}/agent/${project}/${agentJob}`,
    signedIn: true,
  },
  '/keys': { at: ({ organization }) => `/${organization}/keys`, signedIn: true },
  '/members': { at: ({ organization }) => `/${organization}/members`, signedIn: true },
  '/audit': { at: ({ organization }) => `/${organization}/audit`, signedIn: true },
  '/usage': { at: ({ organization }) => `/${organization}/usage`, signedIn: true },
  '/settings': { at: ({ organization }) => `/${organization}/settings`, signedIn: true },
};

/** Addresses of what a page shows in its tabs, which are part of the page. */
const TABS: Readonly<Record<string, readonly string[]>> = {
  '/projects/$projectId': ['analytics', 'source', 'domains', 'features', 'automation', 'agent', 'settings'],
  '/exports/$jobId': ['warnings', 'changes', 'history', 'details'],
};

interface Ids {
  organization: string;
  project: string;
  job: string;
  agentJob: string;
}

describe.skipIf(!hasOpenssl)(
  hasOpenssl ? 'the dashboard' : 'the dashboard: no openssl to make a certificate',
  () => {
    let platform: TestPlatform;
    let git: GitServer;
    let browser: Browser;
    let context: BrowserContext;
    let page: Page;
    let folder: string;
    let ids: Ids;
    const faults: string[] = [];
    const log: string[] = [];

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'offprint-dashboard-'));
      expect(await buildDashboard(process.execPath)).toBe(0);
      const { key, cert, certFile } = makeCertificate(folder);
      git = await startGitServer({ tls: { key, cert }, account: { username: 'acme', password: TOKEN } });
      await git.commit(
        'acme/docs.git',
        readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
          .filter((path) => statSync(join(DOCS, path)).isFile())
          .map((path) => ({ path: `docs/${path}`, content: readFileSync(join(DOCS, path)) })),
      );
      platform = await startTestPlatform({
        env: {
          OFFPRINT_DASHBOARD_DIR: DIST,
          OFFPRINT_SIGN_UP: 'open',
          OFFPRINT_DOCS_URL: `${DOCS_URL}/`,
          OFFPRINT_DEFAULT_PLAN: 'enterprise',
          OFFPRINT_CA_FILE: certFile,
          OFFPRINT_ALLOW_PRIVATE_HOSTS: 'localhost',
          ...MODEL_ENV,
        },
      });
      noteSecrets(TOKEN, PASSWORD);
      browser = await launchBrowser();
      context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        reducedMotion: 'reduce',
        acceptDownloads: true,
      });
      page = await context.newPage();
      watch(page);
    });

    afterAll(async () => {
      await browser?.close();
      await git?.close();
      await platform?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    /** Writes down what must never happen on any page. */
    function watch(opened: Page): void {
      const at = () => opened.url().replace(platform.url, '');
      opened.on('pageerror', (error) => faults.push(`${at()}: ${error.message}`));
      opened.on('request', (request) => {
        const { protocol } = new URL(request.url());
        if (!request.url().startsWith(`${platform.url}/`) && protocol !== 'blob:')
          faults.push(`${at()} asks ${request.url()}`);
      });
      opened.on('console', (message) => {
        // The browser itself logs responses of 400 and above, which the page shows.
        if (
          message.type() === 'error' &&
          !/^Failed to load resource: .* (?:400|401|404) /.test(message.text())
        )
          faults.push(`${at()}: ${message.text()}`);
      });
    }

    async function picture(opened: Page, name: string): Promise<void> {
      if (SCREENSHOTS === undefined) return;
      mkdirSync(SCREENSHOTS, { recursive: true });
      await opened.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
    }

    describe('by keyboard alone', () => {
      const began = Date.now();
      const step = async (name: string): Promise<void> => {
        log.push(`${((Date.now() - began) / 1000).toFixed(1)} s ${name}`);
        await picture(page, `step-${String(log.length).padStart(2, '0')}-${name.replaceAll(/\W+/g, '-')}`);
      };

      /** What has the focus is in sight and has a ring around it, or around the card that stands for it. */
      async function focusIsSeen(): Promise<string> {
        return (await page.evaluate(`(() => {
          const at = document.activeElement;
          if (at === document.body) return 'body';
          // A page moves the focus to its heading when it opens; the heading is not a Tab stop.
          if (at.matches('h1[tabindex="-1"]')) return 'heading';
          const box = at.getBoundingClientRect();
          const isRinged = (element) => {
            const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
            return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || /0px 0px 0px [1-9]/.test(boxShadow);
          };
          const inSight = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
          const name = at.outerHTML.slice(0, 160);
          if (!inSight) return 'out of sight: ' + name;
          return isRinged(at) || (at.matches('input') && at.closest('label') && isRinged(at.closest('label')))
            ? 'seen' : 'no ring: ' + name;
        })()`)) as string;
      }

      /** Presses Tab until this has the focus, which is to be seen at every stop. */
      async function tabTo(target: Locator, key = 'Tab'): Promise<void> {
        await target.waitFor();
        let outside = 0;
        for (let stop = 0; stop < 120; stop += 1) {
          if (await target.evaluate((element) => element === document.activeElement)) return;
          await page.keyboard.press(key);
          // A stop that has just come into view may not be painted yet.
          await expect.poll(focusIsSeen, { message: page.url() }).toMatch(/^(?:seen|body|heading)$/);
          // The end of the page leads through the browser's own frame, once.
          if ((await focusIsSeen()) === 'body') outside += 1;
          expect(outside, `the focus is lost on the way to ${target}`).toBeLessThan(3);
        }
        throw new Error(`${target} is not reached by ${key}`);
      }

      const press = async (target: Locator, key = 'Enter'): Promise<void> => {
        await tabTo(target);
        await page.keyboard.press(key);
      };
      const type = async (target: Locator, text: string): Promise<void> => {
        await tabTo(target);
        await page.keyboard.press('Control+a');
        await page.keyboard.type(text);
      };
      const button = (name: string | RegExp) =>
        page.getByRole('button', { name, exact: typeof name === 'string' });
      const link = (name: string | RegExp) =>
        page.getByRole('link', { name, exact: typeof name === 'string' });
      const heading = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 });

      test('a new user creates an account and an organization', async () => {
        await page.goto(`${platform.url}/`);
        await heading('Sign in').waitFor();
        await step('first page');
        await press(link('Sign up'));
        await heading('Create an account').waitFor();
        await type(page.getByLabel('Your name'), 'Ada Lovelace');
        await type(page.getByLabel('Email'), 'ada@acme.example');
        await type(page.getByLabel('Password', { exact: true }), PASSWORD);
        await page.keyboard.press('Enter');
        await heading('New organization').waitFor();
        await step('account');
        await type(page.getByLabel('Name'), 'Acme');
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/org_[0-9a-f]{32}$/);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await step('organization');
      });

      test('connects a private repository after a test that says what is wrong', async () => {
        await press(page.getByRole('navigation').getByRole('link', { name: 'Projects' }));
        await heading('Projects').waitFor();
        await press(page.getByRole('link', { name: /new project|create a project|connect/i }).first());
        await heading('New project').waitFor();
        const address = page.getByLabel('Repository URL');
        await type(address, `${git.url.replace('127.0.0.1', 'localhost')}/acme/docs.git`);
        await type(page.getByLabel('Docs folder'), 'docs');
        await press(button('Test connection'));
        await page.getByText('Not connected yet.').waitFor();
        await step('connection refused');
        // Radio buttons are one stop; arrows choose.
        await tabTo(page.getByRole('radio', { name: 'Not needed' }), 'Shift+Tab');
        await page.keyboard.press('ArrowRight');
        await type(page.getByRole('textbox', { name: 'Token' }), TOKEN);
        await type(page.getByLabel('User name'), 'acme');
        await press(button('Test connection'));
        await page.getByText(/^Connected: \d+ pages found\.$/).waitFor();
        await step('connection tested');
        await type(page.getByLabel('Domain'), DOMAIN);
        await press(button('Create project'));
        await heading(/was created$/).waitFor();
        await step('project');
      });

      test('creates a key, which is shown once', async () => {
        await press(page.getByRole('navigation').getByRole('link', { name: 'API keys' }));
        await heading('API keys').waitFor();
        await press(button('Create key').first());
        const dialog = page.getByRole('dialog');
        await dialog.waitFor();
        await type(dialog.getByLabel('Name'), 'deployments');
        await page.keyboard.press('Enter');
        await page
          .getByText(/offprint_[0-9A-Za-z]{38}/)
          .or(page.locator('input[value^=offprint_]'))
          .first()
          .waitFor();
        const shown = await page.content();
        const [key = ''] = shown.match(/offprint_[0-9A-Za-z]{38}/) ?? [];
        expect(key).not.toBe('');
        noteSecrets(key);
        const statusOf = async (path: string) =>
          (await fetch(`${platform.url}${path}`, { headers: { authorization: `Bearer ${key}` } })).status;
        // The dialog gives access to exports only, unless something else is chosen.
        expect([await statusOf('/v1/static-export/jobs'), await statusOf('/v1/projects')]).toEqual([
          200, 403,
        ]);
        await step('key');
        await press(page.getByRole('dialog').getByRole('button', { name: /stored|saved|done|close/i }));
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        expect(await page.content()).not.toContain(key);
        await page.reload();
        await page.getByText('deployments').first().waitFor();
        expect(await page.content()).not.toContain(key);
      });

      test('exports, watches the pages come, and has the bundle on disk, which unpacks', async () => {
        await press(page.getByRole('navigation').getByRole('link', { name: 'Exports' }));
        await heading('Exports').waitFor();
        await press(button('Start export').first());
        const dialog = page.getByRole('dialog');
        await dialog.waitFor();
        await type(dialog.getByLabel('Version label'), '1.0');
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/exports\/exp_[0-9a-f]{32}|\/exports\/\w+$/);
        await step('export started');
        const done = page.getByRole('button', { name: /^Download/ });
        await done.waitFor();
        await step('export completed');
        await tabTo(done);
        const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
        const file = join(folder, download.suggestedFilename());
        await download.saveAs(file);
        expect(download.suggestedFilename()).toContain(DOMAIN);
        mkdirSync(join(folder, 'site'));
        execFileSync('tar', ['xzf', file, '-C', join(folder, 'site')]);
        expect(readFileSync(join(folder, 'site', 'index.html'), 'utf8')).toContain('<title>');
        await step('bundle on disk');
        process.stdout.write(`a new user: ${log.join(', ')}\n`);
      });

      test('finds pages, projects and actions in the command palette, which returns the focus', async () => {
        const field = page.getByRole('combobox', { name: 'Search projects, pages and actions' });
        const open = async () => {
          await page.keyboard.press('Control+k');
          await field.waitFor();
          expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
        };
        const chosen = () => page.locator('[role=option][aria-selected=true]').innerText();
        await tabTo(page.getByRole('navigation').getByRole('link', { name: 'Members' }));
        await open();
        await step('palette');
        const first = await chosen();
        await page.keyboard.press('ArrowUp');
        expect(await chosen()).not.toBe(first);
        await page.keyboard.press('ArrowDown');
        expect(await chosen()).toBe(first);
        await page.keyboard.type('no such thing at all');
        await page.getByText('No results for').waitFor();
        await page.keyboard.press('Escape');
        await field.waitFor({ state: 'detached' });
        expect(await page.evaluate('document.activeElement.textContent')).toBe('Members');
        await open();
        await page.keyboard.type('acme');
        expect(await chosen()).toContain(DOMAIN);
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/projects\/prj_[0-9a-f]{32}$/);
        await open();
        await page.keyboard.type('create key');
        expect(await chosen()).toBe('Create API key');
        await page.keyboard.press('Enter');
        await page.getByRole('dialog', { name: 'Create API key' }).waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.keyboard.press('?');
        await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      });

      test('an unknown page has one main landmark and says what to do', async () => {
        await page.goto(`${page.url().split('/').slice(0, 4).join('/')}/nothing/here`);
        await heading('Page not found').waitFor();
        expect(await page.locator('main').count()).toBe(1);
      });

      test('help leads to the changelog and the documentation, and names the version', async () => {
        await press(button('Help'));
        const menu = page.getByRole('menu', { name: 'Help' });
        await menu.getByText(/^Offprint \d+\.\d+\.\d+$/).waitFor();
        expect(await menu.getByRole('menuitem', { name: 'Documentation' }).getAttribute('href')).toBe(
          DOCS_URL,
        );
        const path = await menu.getByRole('menuitem', { name: 'Changelog' }).getAttribute('href');
        const reply = await fetch(`${platform.url}${path}`);
        expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
        expect(await reply.text()).toContain('# Changelog');
        await page.keyboard.press('Escape');
      });

      test('opens and leaves menus, and signs out', async () => {
        await press(page.getByRole('button', { name: /Ada Lovelace/ }));
        await page.getByRole('menu').waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('menu').waitFor({ state: 'detached' });
        expect(await page.evaluate('document.activeElement.textContent')).toContain('Ada Lovelace');
        await page.keyboard.press('Enter');
        await page.getByRole('menu').waitFor();
        await page.keyboard.press('End');
        await page.locator('[role=menuitem]:focus', { hasText: 'Sign out' }).waitFor();
        await page.keyboard.press('Enter');
        await heading('Sign in').waitFor();
        await page.goBack();
        await heading('Sign in').waitFor();
      });

      test('the licenses of third-party software are included', async () => {
        const reply = await fetch(`${platform.url}/licenses.txt`);
        expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
        const notices = await reply.text();
        for (const part of [
          '@fontsource-variable/inter',
          '@radix-ui/',
          'lucide-react',
          'react-dom',
          'tailwindcss',
        ])
          expect(notices).toContain(`\n${part}`);
        expect(notices).toContain('SIL OPEN FONT LICENSE');
        expect(notices).not.toContain('node_modules');
      });

      test('nothing of it ran against the policy, asked another host or logged an error', () => {
        expect(faults).toEqual([]);
      });
    });

    describe('every page', () => {
      beforeAll(async () => {
        const { db } = platform.database;
        const project = await db
          .selectFrom('projects')
          .select(['id', 'organization_id'])
          .executeTakeFirstOrThrow();
        const job = await db.selectFrom('exports').select('id').executeTakeFirstOrThrow();
        const key = await platform.createKey(project.organization_id, {});
        const agentJob = await createJob(platform.url, key, project.id);
        await call(platform.url, 'POST', `/v2/agent/${project.id}/job/${agentJob.id}/cancel`, { key });
        ids = {
          organization: project.organization_id,
          project: project.id,
          job: job.id,
          agentJob: agentJob.id,
        };
        const person = await createPerson(platform, { organizationId: ids.organization, isOperator: true });
        await signIn(context, person.session);
      });

      const signIn = (visitor: BrowserContext, value: string): Promise<void> =>
        visitor.addCookies([
          { name: 'offprint_session', value, url: platform.url, httpOnly: true, sameSite: 'Strict' },
        ]);

      test('is listed here', () => {
        const paths = [...readFileSync(ROUTER, 'utf8').matchAll(/path: '([^']+)'/g)].map(([, path]) => path);
        expect(new Set(Object.keys(PAGES))).toEqual(new Set(paths.filter((path) => path !== '/')));
      });

      /** Opens an address and waits until nothing of it is on its way. */
      async function open(opened: Page, address: string): Promise<void> {
        await opened.goto(`${platform.url}${address}`);
        await opened.getByRole('heading', { level: 1 }).first().waitFor();
        await opened.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
      }

      /** What is wrong with an open page in one theme and at one width. */
      async function look(
        opened: Page,
        name: string,
        scheme: 'light' | 'dark',
        width: number,
      ): Promise<string[]> {
        await opened.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
        await opened.setViewportSize({ width, height: width === 1440 ? 900 : 844 });
        const excess = (await opened.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )) as number;
        const found = excess > 0 ? [`${name}, ${width} px: ${excess} px wider than the screen`] : [];
        if (width === 320) return found;
        await picture(opened, `${name.replaceAll(/\W+/g, '-').replace(/^-/, '')}-${width}-${scheme}`);
        // The colors are those of the wide page, which was checked.
        if (width === 390 && scheme === 'dark') return found;
        const findings = await seriousFindings(opened, { colors: scheme === 'dark' });
        return [...found, ...findings.map((finding) => `${name}, ${scheme}, ${width} px: ${finding}`)];
      }

      test('has no serious finding of axe, light and dark, fits 1440, 390 and 320 px, and nothing goes against the policy', async () => {
        const found: string[] = [];
        const visitors = { true: context, false: await browser.newContext({ reducedMotion: 'reduce' }) };
        const all = Object.entries(PAGES).flatMap(([path, { at, signedIn }]) => [
          { name: path, address: at(ids), signedIn },
          ...(TABS[path] ?? []).map((tab) => ({
            name: `${path} ${tab}`,
            address: `${at(ids)}?tab=${tab}`,
            signedIn,
          })),
        ]);
        const lane = async (): Promise<void> => {
          for (let each = all.shift(); each !== undefined; each = all.shift()) {
            const opened = await visitors[`${each.signedIn}`].newPage();
            watch(opened);
            await opened.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
            await opened.setViewportSize({ width: 1440, height: 900 });
            await open(opened, each.address);
            for (const scheme of ['light', 'dark'] as const)
              for (const width of [1440, 390, 320])
                found.push(...(await look(opened, each.name, scheme, width)));
            await opened.close();
          }
        };
        await Promise.all([lane(), lane()]);
        await visitors.false.close();
        expect({ found, faults }).toEqual({ found: [], faults: [] });
      }, 1_800_000);

      test('between phone and desktop, tables fit their width and the account menu is in sight', async () => {
        const opened = await context.newPage();
        const found: string[] = [];
        for (const [width, height] of [
          [1080, 600],
          [800, 600],
        ] as const) {
          await opened.setViewportSize({ width, height });
          for (const path of [
            '/$organizationId',
            '/projects',
            '/exports',
            '/agent',
            '/keys',
            '/audit',
            '/usage',
          ]) {
            await open(opened, PAGES[path]!.at(ids));
            const excess = await opened
              .locator('.records')
              .evaluateAll((tables) =>
                tables.map(({ parentElement: box }) =>
                  box === null ? 0 : box.scrollWidth - box.clientWidth,
                ),
              );
            if (excess.some((pixels) => pixels > 0)) found.push(`${path}, ${width} px: ${excess}`);
          }
          const account = await opened.getByRole('button', { name: /person-/ }).boundingBox();
          expect(account!.y + account!.height).toBeLessThanOrEqual(height);
        }
        await opened.close();
        expect(found).toEqual([]);
      });

      test('an agent job takes a message, is cancelled and put away; a key is revoked', async () => {
        const opened = await context.newPage();
        await open(opened, PAGES['/agent/$projectId/$jobId']!.at(ids));
        await opened.getByText('This job was cancelled').waitFor();
        expect(await opened.getByText(/^(?:The job failed|Failed)$/).count()).toBe(0);
        await opened.getByLabel('Follow-up').fill('Keep the old heading.');
        await opened.getByRole('button', { name: 'Send message' }).click();
        await opened.getByText('Keep the old heading.', { exact: true }).first().waitFor();
        await expect.poll(() => opened.getByLabel('Follow-up').inputValue()).toBe('');
        await opened.getByRole('button', { name: 'More actions for this job' }).click();
        await opened.getByRole('menuitem', { name: 'Archive job' }).click();
        await opened.getByRole('dialog').getByRole('button', { name: 'Archive job' }).click();
        await opened.getByText('The job is archived. It does not accept messages.').waitFor();

        await open(opened, PAGES['/keys']!.at(ids));
        await opened.getByRole('button', { name: 'Revoke deployments' }).click();
        await opened.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
        await opened.getByRole('button', { name: 'Revoke deployments' }).waitFor({ state: 'detached' });
        const { revoked_at } = await platform.database.db
          .selectFrom('api_keys')
          .select('revoked_at')
          .where('name', '=', 'deployments')
          .executeTakeFirstOrThrow();
        expect(revoked_at).toBeInstanceOf(Date);
        await opened.close();
      });

      test('a client-hosted project switches the search built into its exports off, and on again', async () => {
        const opened = await context.newPage();
        await open(opened, `${PAGES['/projects/$projectId']!.at(ids)}?tab=features`);
        await opened.getByRole('radio', { name: 'Client-hosted' }).check();
        await opened.getByText('You can turn off the built-in search.').waitFor();
        await opened.getByRole('button', { name: 'Save deployment type' }).click();
        const search = opened.getByRole('switch', { name: 'Built-in search: ' });
        for (const [says, isOn] of [
          ['Turned off for this project.', false],
          ['Readers search the exported site without any service, also offline.', true],
        ] as const) {
          await search.click();
          await opened.getByText(says).waitFor();
          expect(await search.isChecked()).toBe(isOn);
          // The switch moves before the response of the API arrives.
          await expect
            .poll(() =>
              platform.database.db
                .selectFrom('projects')
                .select('features')
                .where('id', '=', ids.project)
                .executeTakeFirstOrThrow(),
            )
            .toEqual({ features: { search: isOn } });
        }
        await opened.close();
      });

      test('what the role or the plan does not allow is off before the click, and says why', async () => {
        const viewer = await createPerson(platform, { organizationId: ids.organization, role: 'viewer' });
        const visitor = await browser.newContext({ reducedMotion: 'reduce' });
        await signIn(visitor, viewer.session);
        const opened = await visitor.newPage();
        const reasonOf = async (name: string): Promise<string | null> => {
          const button = opened.getByRole('button', { name }).first();
          expect(await button.getAttribute('aria-disabled')).toBe('true');
          await button.click({ force: true });
          expect(await opened.getByRole('dialog').count()).toBe(0);
          return opened.locator(`[id="${await button.getAttribute('aria-describedby')}"]`).textContent();
        };
        await open(opened, PAGES['/exports']!.at(ids));
        expect(await reasonOf('Start export')).toBe('Requires the role editor. Your role is viewer.');
        await platform.database.db
          .updateTable('organizations')
          .set({ plan: 'free' })
          .where('id', '=', ids.organization)
          .execute();
        await open(opened, PAGES['/exports']!.at(ids));
        const why = 'equires the enterprise plan. This organization has the free plan.';
        expect(await reasonOf('Start export')).toBe(`R${why}`);
        await opened.getByText(`Static export r${why}`).waitFor();
        await open(opened, PAGES['/agent']!.at(ids));
        await opened
          .getByText('The agent requires the pro plan. This organization has the free plan.')
          .waitFor();
        await visitor.close();
      });
    });
  },
);
