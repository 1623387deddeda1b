import { ExternalLink as Icon } from 'lucide-react';
import type { ReactNode } from 'react';

/** Whether an address leads to a page, and to nothing that runs here. */
export function isWebAddress(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}

interface ExternalLinkProps {
  /** The target; anything except an HTTP URL is shown as text. */
  href: string;
  children: ReactNode;
  className?: string;
}

/** A link that leaves the dashboard, to an address that others gave. */
export function ExternalLink({ href, children, className = 'link' }: ExternalLinkProps) {
  if (!isWebAddress(href)) return <span className="break-all">{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className={className}>
      {children}
      <Icon aria-hidden="true" className="ms-1 inline size-3.5 align-[-2px]" />
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}

/** Opens an address of the web in a new tab that knows nothing of this one. */
export function openTab(address: string): void {
  if (!isWebAddress(address)) return;
  const link = document.createElement('a');
  link.href = address;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  link.click();
}
