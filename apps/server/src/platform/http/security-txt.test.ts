import fastify from 'fastify';
import { expect, test } from 'vitest';
import { readConfig } from '../../config.ts';
import { registerSecurityTxt } from './security-txt.ts';

const get = async (contacts: readonly string[], origin?: string) => {
  const app = fastify();
  registerSecurityTxt(app, { contacts, origin });
  return app.inject('/.well-known/security.txt');
};

test('security.txt has each contact, a date less than a year ahead, and its own URL (RFC 9116)', async () => {
  const contacts = ['mailto:security@example.com', 'https://example.com/security'];
  const { statusCode, headers, body } = await get(contacts, 'https://docs.example.com');
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  const fields = body
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/: (.*)/s));
  expect(fields.map(([name]) => name)).toEqual(['Contact', 'Contact', 'Expires', 'Canonical']);
  expect(fields.slice(0, 2).map(([, value]) => value)).toEqual(contacts);
  expect(fields[3]?.[1]).toBe('https://docs.example.com/.well-known/security.txt');
  const ahead = Date.parse(fields[2]?.[1] ?? '') - Date.now();
  expect(ahead).toBeGreaterThan(86_400_000);
  expect(ahead).toBeLessThan(365 * 86_400_000);
});

test('without a contact security.txt is not found', async () => {
  expect((await get([])).statusCode).toBe(404);
});

test('a contact is an email address, an https URL or a telephone number, on one line', () => {
  const read = (value: string) => readConfig({ OFFPRINT_SECURITY_CONTACT: value }).securityContact;
  expect(read('security@example.com, https://example.com/s,tel:+1-201-555-0123')).toEqual([
    'mailto:security@example.com',
    'https://example.com/s',
    'tel:+1-201-555-0123',
  ]);
  for (const value of [
    'http://example.com',
    'someone',
    'a@example.com\nPolicy: https://evil.example',
    'javascript:x',
  ])
    expect(() => read(value), value).toThrow('OFFPRINT_SECURITY_CONTACT');
});
