import { brandIcon, partIcon } from './icon.ts';
import type { MenuEntry } from './menu-entry.ts';
import type { Strings } from './strings.ts';
import type { Theme } from './theme.ts';

/** Applications that add a server by a link. */
const APPLICATIONS: Readonly<Record<string, { name: string; link(server: string, url: string): string }>> = {
  cursor: {
    name: 'Cursor',
    link: (server, url) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(server)}&config=${encodeURIComponent(Buffer.from(JSON.stringify({ url })).toString('base64'))}`,
  },
  vscode: {
    name: 'VS Code',
    link: (server, url) =>
      `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: server, type: 'http', url }))}`,
  },
  'devin-mcp': {
    name: 'Devin',
    link: (server, url) =>
      `https://app.devin.ai/settings/mcp-marketplace/setup/custom?${new URLSearchParams({ name: server, transport: 'HTTP', url })}`,
  },
};

/** URL of the MCP server of the site; null where the site is not served with one. */
export function mcpUrl({ siteUrl, services }: Pick<Theme, 'siteUrl' | 'services'>): string | null {
  return services.mcp && siteUrl !== null ? `${siteUrl.replace(/\/+$/, '')}/mcp` : null;
}

export const isMcpAction = (name: string): boolean =>
  name === 'mcp' || name === 'add-mcp' || Object.hasOwn(APPLICATIONS, name);

/** An entry that copies the URL of the server or the command that adds it, or opens an application that does. */
export function mcpEntry(theme: Theme, name: string, strings: Strings): MenuEntry | null {
  const url = mcpUrl(theme);
  if (url === null) return null;
  if (name === 'mcp' || name === 'add-mcp') {
    const text = name === 'mcp' ? url : `npx add-mcp ${url}`;
    const title = name === 'mcp' ? 'MCP' : 'npx add-mcp';
    return {
      icon: partIcon('copy', 16),
      title,
      about: url,
      action: { attribute: 'data-op-copy-text', text },
    };
  }
  const application = Object.hasOwn(APPLICATIONS, name) ? APPLICATIONS[name] : undefined;
  if (application === undefined) return null;
  const server = theme.siteMap.config.name ?? 'docs';
  return {
    icon: brandIcon(name === 'devin-mcp' ? 'devin' : name, 16, 'plug'),
    title: strings.openIn.replace('{name}', application.name),
    about: `MCP: ${url}`,
    action: { href: application.link(server, url), external: true, download: false },
  };
}
