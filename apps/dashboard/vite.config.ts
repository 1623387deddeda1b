import { setTimeout as sleep } from 'node:timers/promises';
import { routes } from '@offprint/contract';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig, type Plugin } from 'vite';
import { changelog } from './changelog.ts';
import { contractData } from './contract-data.ts';
import { licenses } from './licenses.ts';
import manifest from './package.json' with { type: 'json' };

/** Text fonts that every page needs at once; the other subsets come when their characters do. */
const PRELOADED = /inter-latin-wght-normal[^/]*\.woff2$/;

/** URL of a running platform, for the development server. `npm run dev` starts both. */
const platform = process.env.OFFPRINT_URL ?? 'http://127.0.0.1:4100';
/** First segments of the paths that the platform serves; every other path belongs to the dashboard. */
const PLATFORM_PATHS = [
  '/blobs/',
  '/preview/',
  '/docs',
  ...new Set(Object.values(routes).map(({ path }) => `/${path.split('/')[1]}`)),
];
const RESTART_MS = 30_000;

/** Holds requests to the platform while it restarts, so that a change of its sources fails none. */
function awaitPlatform(): Plugin {
  return {
    name: 'offprint-await-platform',
    configureServer({ middlewares }) {
      middlewares.use(async ({ url = '' }, _response, next) => {
        if (PLATFORM_PATHS.some((path) => url.startsWith(path))) {
          const deadline = Date.now() + RESTART_MS;
          while (Date.now() < deadline && !(await isReady())) await sleep(100);
        }
        next();
      });
    },
  };
}

function isReady(): Promise<boolean> {
  return fetch(`${platform}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function preloadFonts(): Plugin {
  return {
    name: 'offprint-preload-fonts',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((name) => PRELOADED.test(name))
          .map((name) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${name}`, crossorigin: true },
            injectTo: 'head-prepend',
          })),
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  define: { OFFPRINT_VERSION: JSON.stringify(manifest.version) },
  plugins: [contractData(), tailwindcss(), preloadFonts(), licenses(), changelog(), awaitPlatform()],
  server: {
    // The Host header stays that of the page, because the platform refuses requests from pages of other origins.
    proxy: Object.fromEntries(
      PLATFORM_PATHS.map((path) => [path, { target: platform, changeOrigin: false }]),
    ),
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The policy of the server allows neither inline scripts nor data URLs.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    target: 'es2023',
    rolldownOptions: {
      onLog: (level, log, handler) => log.code === 'MODULE_LEVEL_DIRECTIVE' || handler(level, log),
    },
  },
});
