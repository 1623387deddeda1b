import { readFileSync } from 'node:fs';
import { createTransport } from 'nodemailer';

export interface Mail {
  /** One address. */
  to: string;
  subject: string;
  /** Plain text: nothing in it can load or hide anything. */
  text: string;
}

/** Sends mail. */
export interface Mailer {
  /** Resolves when the server has taken the mail; throws when it has not. */
  send(mail: Mail): Promise<void>;
}

const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;

/**
 * Sends by an SMTP server: `smtps://` encrypts from the start, `smtp://` as soon as the server offers it. `from`: an
 * address, or a name with one. `caFile`: PEM file of the authorities that the certificate is checked against.
 */
export function createMailer(options: { url: string; from: string; caFile?: string | undefined }): Mailer {
  const url = new URL(options.url);
  const isSecure = url.protocol === 'smtps:';
  const transport = createTransport({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
    secure: isSecure,
    ...(url.username === ''
      ? {}
      : { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
    ...(options.caFile === undefined ? {} : { tls: { ca: readFileSync(options.caFile, 'utf8') } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // A mail is text that we wrote; nothing is fetched for one.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail) {
      await transport.sendMail({
        from: options.from,
        // As an object, an address is never read as a list of several.
        to: { name: '', address: mail.to },
        subject: mail.subject,
        text: mail.text,
        // Out-of-office replies to an automatic mail help nobody (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    },
  };
}
