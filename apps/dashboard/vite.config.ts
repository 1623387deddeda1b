import tailwindcss from '@tailwindcss/vite';
import { defineConfig, type Plugin } from 'vite';
import { contractData } from './contract-data.ts';
import { licenses } from './licenses.ts';

/** Text fonts that every page needs at once; the other subsets come when their characters do. */
const PRELOADED = /inter-latin-wght-normal[^/]*\.woff2$/;

/** Address of a running server, for `vite` with live reload: `OFFPRINT_URL=http://127.0.0.1:4400`. */
const server = process.env.OFFPRINT_URL ?? 'http://127.0.0.1:4400';
// The host stays that of the page, or the server takes its requests for those of another site.
const proxied = { target: server, changeOrigin: false };

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
  plugins: [contractData(), tailwindcss(), preloadFonts(), licenses()],
  server: { proxy: { '/v1': proxied, '/v2': proxied, '/blobs': proxied } },
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
